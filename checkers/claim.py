"""What a claim is: one query that goes through all it considers and marks what is wrong."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A question put to many runs at once, in Spark's SQL.

    The query reads the relations of `evidence` and yields a row for everything that it considers
    (none means UNKNOWN, never HELD). Every row carries its `run` and a `finding`: NULL where all is
    well, `anomaly`, `doubt: <why this row cannot be decided>`, or `allowed: <what happened that
    breaks no promise>`, which is told but neither counted as considered. All other columns describe
    the row; they are what a witness shows, and witnesses stand in their order.
    """

    name: str  # the anomaly's name, "lost-write"
    title: str  # what holds where there is no anomaly
    definition: str
    about: str  # what is considered, for "the record has no <about>"
    needs: tuple[str, ...]  # tables without which nothing can be said
    uses: tuple[str, ...] = ()  # tables that are read if they are there
    query: str
