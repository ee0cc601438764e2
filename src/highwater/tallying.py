"""What a search has come to so far, whatever its strategy: states, dangers, and its own memory."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from highwater.exploration.rounds import Round
from highwater.exploration.views import State

STATM = Path("/proc/self/statm")  # in pages; the second is what is resident


def resident_mib() -> float:
    """What this process has in memory at this moment: neither brokers nor the gate."""
    pages = int(STATM.read_text(encoding="ascii").split()[1])
    return round(pages * os.sysconf("SC_PAGE_SIZE") / 2**20, 1)


@dataclass(slots=True)
class Tally:
    """`dangers` and memory are of this process alone; `states` also of what it has read."""

    states: set[State] = field(default_factory=set)
    dangers: Counter[int] = field(default_factory=Counter)
    first_mib: float | None = None
    highest_mib: float = 0.0
    steps: int = 0  # that were taken in schedules of this process
    told: str = ""  # of the last one of these

    def know(self, told: Round) -> None:
        """A schedule of an earlier search into the same directory."""
        for each in told.taken:
            self.states |= {each.before, each.after} - {()}

    def add(self, told: Round, mib: float) -> None:
        """One that was played now."""
        self.know(told)
        self.dangers[told.danger] += 1
        self.steps, self.told = self.steps + len(told.taken), told.finding.told
        self.first_mib = mib if self.first_mib is None else self.first_mib
        self.highest_mib = max(self.highest_mib, mib)

    @property
    def played(self) -> int:
        """Schedules of this process."""
        return self.dangers.total()

    @property
    def told_of_memory(self) -> str:
        """For the end of a line; "" where nothing was played."""
        if self.first_mib is None:
            return ""
        return (
            f"; memory of the harness: {self.first_mib:.0f} MiB after the first schedule, "
            f"{self.highest_mib:.0f} MiB at most"
        )
