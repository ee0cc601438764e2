"""What a claim is: a function that goes through a part of a record and marks what is wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from highwater.checkers.facts import Facts
from highwater.checkers.findings import Findings


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A question put to a run, part by part.

    `judge` is given one part of the kind `part` (see `parts`), which has all rows that belong
    together, and says how much it considered (nothing at all means UNKNOWN, never HELD), what is
    wrong and what it cannot decide. What parts found is added up; a claim that has to see all of it
    leaves notes, and `conclude` makes findings of them.
    """

    name: str  # the anomaly's name, "lost-write"
    title: str  # what holds where there is no anomaly
    definition: str
    about: str  # what is considered, for "the record has no <about>"
    needs: tuple[str, ...]  # tables without which nothing can be said
    uses: tuple[str, ...] = ()  # tables that are read if they are there
    part: type[Any]  # Values, Offsets, Segments or Samples
    judge: Callable[[Any], Findings]
    conclude: Callable[[Findings, Facts], Findings] | None = None
