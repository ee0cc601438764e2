"""How the records of a producer have ended."""

from __future__ import annotations

from dataclasses import dataclass

from highwater.harness.model import Outcome


@dataclass(slots=True)
class Tally:
    """How many records of one producer have ended, and how."""

    acked: int = 0
    failed: int = 0
    unknown: int = 0

    @property
    def ended(self) -> int:
        """All of them."""
        return self.acked + self.failed + self.unknown

    def count(self, outcome: Outcome) -> None:
        """One that was not acknowledged."""
        if outcome is Outcome.FAILED:
            self.failed += 1
        else:
            self.unknown += 1
