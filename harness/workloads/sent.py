"""What became of one call to send."""

from __future__ import annotations

from typing import Any

from confluent_kafka import KafkaError

from highwater.harness.model import Outcome
from highwater.harness.record.sends import Sends
from highwater.harness.workloads.payload import value_of


class Sent:
    """Offsets of what was acknowledged, and the rest."""

    def __init__(self, sends: Sends, records: int) -> None:
        self._sends = sends
        self.records = records
        self.failed: list[str] = []
        self.unknown: list[str] = []

    @property
    def acked(self) -> int:
        """How many records the broker has acknowledged, with their offsets."""
        return len(self._sends.offsets())

    @property
    def all_acked(self) -> bool:
        return self.acked == self.records

    @property
    def first_offset(self) -> int:
        return int(self._sends.offsets().min())

    @property
    def end_offset(self) -> int:
        """One past the highest offset acknowledged."""
        return int(self._sends.offsets().max()) + 1

    @property
    def span(self) -> str:
        """The offsets in words."""
        return f"offsets {self.first_offset} to {self.end_offset - 1}" if self.acked else "none"

    def described(self) -> dict[str, Any]:
        """As an event tells it; offsets are null where nothing was acknowledged."""
        return {
            "records": self.records,
            "acked": self.acked,
            "first_offset": self.first_offset if self.acked else None,
            "end_offset": self.end_offset if self.acked else None,
            "errors": sorted({*self.failed, *self.unknown}),
        }

    def end(self, content: bytes, outcome: Outcome, error: KafkaError) -> None:
        """One of its records ends in another way than by being acknowledged."""
        named = self.failed if outcome is Outcome.FAILED else self.unknown
        named.append(error.name())
        self._sends.ended(value_of(content), outcome, f"{error.name()}: {error.str()}")
