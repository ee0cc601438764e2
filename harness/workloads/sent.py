"""What became of one call to send: where its producer lives, and as a play is told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from confluent_kafka import KafkaError

from highwater.harness.errors import PreconditionError
from highwater.harness.model import Outcome
from highwater.harness.record.sends import Sends


class Sending:
    """In the process of the producer: outcomes arrive until it is flushed."""

    def __init__(self, sends: Sends) -> None:
        self._sends = sends
        self._failed: list[str] = []
        self._unknown: list[str] = []

    @property
    def all_acked(self) -> bool:
        return len(self._sends.offsets()) == len(self._sends.values)

    def told(self) -> dict[str, Any]:
        """As `Sent` has it."""
        offsets = self._sends.offsets()
        span = [int(offsets.min()), int(offsets.max()) + 1] if len(offsets) else None
        return {
            "waiting": self._sends.waiting,
            "acked": len(offsets),
            "span": span,
            "failed": [*self._failed],
            "unknown": [*self._unknown],
        }

    def end(self, value: int, outcome: Outcome, error: KafkaError) -> None:
        """One of its records ends in another way than by being acknowledged."""
        named = self._failed if outcome is Outcome.FAILED else self._unknown
        named.append(error.name())
        self._sends.ended(value, outcome, f"{error.name()}: {error.str()}")


@dataclass(slots=True)
class Sent:
    """How many of the records of one call were acknowledged, where they stand, and the rest.

    `failed` and `unknown` have an error's name for each record that ended so.
    """

    records: int
    waiting: int  # for an outcome
    acked: int = 0
    failed: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    _span: tuple[int, int] | None = None  # the first offset, and one past the last

    def learn(self, told: Mapping[str, Any]) -> None:
        """What its producer has told: see `Sending.told`."""
        self.waiting, self.acked = told["waiting"], told["acked"]
        self.failed, self.unknown = told["failed"], told["unknown"]
        self._span = None if told["span"] is None else tuple(told["span"])

    @property
    def all_acked(self) -> bool:
        return self.acked == self.records

    @property
    def first_offset(self) -> int:
        """Raises PreconditionError, as `end_offset` does, where nothing was acknowledged."""
        return self._offsets()[0]

    @property
    def end_offset(self) -> int:
        """One past the highest offset acknowledged."""
        return self._offsets()[1]

    def _offsets(self) -> tuple[int, int]:
        if self._span is None:
            errors = sorted({*self.failed, *self.unknown})
            raise PreconditionError(
                f"expected an offset of {self.records} records that were sent, saw none "
                f"acknowledged: {', '.join(errors) or 'there is no answer'}"
            )
        return self._span

    @property
    def span(self) -> str:
        """The offsets in words."""
        if self._span is None:
            return "none"
        return f"offsets {self._span[0]} to {self._span[1] - 1}"

    def described(self) -> dict[str, Any]:
        """As an event tells it; offsets are null where nothing was acknowledged."""
        first, end = self._span or (None, None)
        return {
            "records": self.records,
            "acked": self.acked,
            "first_offset": first,
            "end_offset": end,
            "errors": sorted({*self.failed, *self.unknown}),
        }
