"""What a claim finds in a part of a run, and how the parts' findings become one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from highwater.checkers.rows import NONE, Bools, Ints, Words

WITNESSES_KEPT = 100

Witness = dict[str, Any]
Shown = Mapping[str, tuple[Ints, Words | None]]  # a witness's columns, in their order


@dataclass(slots=True)
class Findings:
    """How much was considered, what is wrong, and what cannot be decided or is allowed, and why.

    `notes` are for a claim that can only conclude when all parts have been seen.
    """

    considered: int = 0
    anomalies: int = 0
    witnesses: list[Witness] = field(default_factory=list)
    doubts: Counter[str] = field(default_factory=Counter)
    allowed: Counter[str] = field(default_factory=Counter)
    notes: dict[int, list[Any]] = field(default_factory=dict)
    remark: str = ""  # what is worth telling whatever the answer is
    broken: str = ""  # what went wrong with the checker itself

    def take_in(self, other: Findings) -> None:
        """Add another part's; of all witnesses the first stay, in the order of their columns."""
        self.considered += other.considered
        self.anomalies += other.anomalies
        self.doubts += other.doubts
        self.allowed += other.allowed
        for about, more in other.notes.items():
            self.notes.setdefault(about, []).extend(more)
        self.remark = self.remark or other.remark
        self.broken = min(filter(None, (self.broken, other.broken)), default="")
        if other.witnesses:
            self.witnesses = sorted([*self.witnesses, *other.witnesses], key=_order)[
                :WITNESSES_KEPT
            ]

    def doubt(self, why: str, count: np.integer[Any] | int) -> None:
        """So many of what was considered cannot be decided."""
        if count:
            self.doubts[why] += int(count)

    def allow(self, what: str, rows: Bools) -> None:
        """The rows of a mask break no promise; that it happened is told all the same."""
        count = int(np.count_nonzero(rows))
        if count:
            self.allowed[what] += count

    def anomaly(
        self, wrong: Bools, shown: Shown, more: Callable[[int], Witness] | None = None
    ) -> None:
        """The rows of a mask are wrong; `more` completes the witness of one of them."""
        count = int(np.count_nonzero(wrong))
        self.anomalies += count
        if not count:
            return
        rows = np.flatnonzero(wrong)
        keys = [column[rows] for column, _ in reversed(list(shown.values()))]
        first = rows[np.lexsort(keys)[:WITNESSES_KEPT]]
        self.take_in(Findings(witnesses=[_witness(shown, int(row), more) for row in first]))

    def one_anomaly(self, witness: Witness) -> None:
        self.take_in(Findings(anomalies=1, witnesses=[witness]))


def findings_of(said: Iterable[Witness | str | None]) -> Findings:
    """Of each thing that was asked about: its witness, why nobody can tell, or nothing."""
    found = Findings()
    for each in said:
        found.considered += 1
        if isinstance(each, str):
            found.doubt(each, 1)
        elif each is not None:
            found.one_anomaly(each)
    return found


def _witness(shown: Shown, row: int, more: Callable[[int], Witness] | None) -> Witness:
    found = {name: _as_recorded(int(column[row]), words) for name, (column, words) in shown.items()}
    return {**found, **(more(row) if more else {})}


def _as_recorded(number: int, words: Words | None) -> int | str | None:
    if number == NONE:
        return None
    return number if words is None else str(words[number])


def _order(witness: Witness) -> list[tuple[bool, Any]]:
    """Nothing comes before anything."""
    return [(value is not None, value) for value in witness.values()]
