"""Who led a partition when its replicas were asked last."""

from __future__ import annotations

from dataclasses import dataclass

from highwater.checkers.second_opinion.rows import Row


@dataclass(frozen=True, slots=True)
class Leader:
    """Who led a partition at the end, and what its log is like."""

    broker: int
    log_start: int | None
    log_end: int | None
    settled: bool
    rows: list[Row]  # of its log

    @property
    def begins(self) -> float:
        """Where its log starts, or else with which record; beyond all where nobody knows it."""
        first = min((row["offset"] for row in self.rows), default=float("inf"))
        return first if self.log_start is None else self.log_start

    @property
    def is_recorded(self) -> bool:
        return bool(self.rows) or (self.log_start is not None and self.log_start == self.log_end)

    @property
    def is_damaged(self) -> bool:
        return any(row["problem"] is not None for row in self.rows)
