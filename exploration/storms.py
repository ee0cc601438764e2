"""Moves of a nemesis: what goes on meanwhile, time that passes, and brokers that are alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from highwater.exploration.ground import Ground
from highwater.exploration.steps import Move, move
from highwater.exploration.views import View
from highwater.faults.isolate import Isolate
from highwater.harness.errors import UsageError

LONGEST_MS = 60_000


def _require_ms(wait_ms: int) -> None:
    if not 0 <= wait_ms <= LONGEST_MS:
        raise UsageError(f"expected 0 to {LONGEST_MS} milliseconds, saw {wait_ms}")


@move
@dataclass(frozen=True, slots=True)
class Pour(Move):
    """One record after another is sent with acks=all, so long apart, until the schedule ends."""

    gap_ms: int

    name: ClassVar[str] = "pour"

    def __post_init__(self) -> None:
        """Raises UsageError for a time that nobody would wait."""
        _require_ms(self.gap_ms)

    def fits(self, ground: Ground, view: View) -> bool:  # noqa: ARG002
        return ground.pouring is None

    def take(self, ground: Ground, view: View, *, waits: bool) -> None:  # noqa: ARG002
        ground.pour(self.gap_ms)


@move
@dataclass(frozen=True, slots=True)
class Idle(Move):
    """Nothing is done for so long: a nemesis goes by the clock, and so does its schedule."""

    wait_ms: int

    name: ClassVar[str] = "idle"

    def __post_init__(self) -> None:
        """Raises UsageError for a time that nobody would wait."""
        _require_ms(self.wait_ms)

    def fits(self, ground: Ground, view: View) -> bool:  # noqa: ARG002
        return True

    def take(self, ground: Ground, view: View, *, waits: bool) -> None:  # noqa: ARG002
        ground.soon(lambda: False, self.wait_ms / 1000)


@move
@dataclass(frozen=True, slots=True)
class IsolateBroker(Move):
    """No other broker reaches it, nor it them; ZooKeeper, or the controller, hears all of them."""

    broker: int

    name: ClassVar[str] = "isolate"

    def fits(self, ground: Ground, view: View) -> bool:  # noqa: ARG002
        return (self.name, self.broker) not in ground.links

    def take(self, ground: Ground, view: View, *, waits: bool) -> None:  # noqa: ARG002
        ground.open(self.name, self.broker, Isolate(self.broker))
