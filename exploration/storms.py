"""Moves that are no message: sends that go on, time, who is alone, frozen or without power."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from highwater.exploration.ground import FROZEN, Ground
from highwater.exploration.moves import AT_MOST_DOWN, DEPOSED_S
from highwater.exploration.steps import Move, move
from highwater.exploration.views import View
from highwater.faults.partition_brokers import PartitionBrokers
from highwater.faults.pause import Pause
from highwater.faults.power_loss import PowerLoss
from highwater.harness.errors import UsageError
from highwater.harness.probes.checkpoints import read_offset_checkpoint

LONGEST_MS = 60_000
SESSION_S = 9.0  # longer than the session of a broker that is frozen
FLUSHED = "recovery-point-offset-checkpoint"


def _require_ms(wait_ms: int) -> None:
    if not 0 <= wait_ms <= LONGEST_MS:
        raise UsageError(f"expected 0 to {LONGEST_MS} milliseconds, saw {wait_ms}")


@move
@dataclass(frozen=True, slots=True)
class Pour(Move):
    """One record after another is sent with acks=all, so long apart, until the schedule ends."""

    gap_ms: int

    name: ClassVar[str] = "pour"
    writes_records: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Raises UsageError for a time that nobody would wait."""
        _require_ms(self.gap_ms)

    def fits(self, ground: Ground, view: View) -> bool:  # noqa: ARG002
        return not ground.pouring

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
        cluster = ground.play.cluster
        spared = {self.broker, *({*cluster.nodes.voters} - {*cluster.brokers})}
        others = sorted({*cluster.nodes.numbers} - spared)
        ground.open(self.name, self.broker, PartitionBrokers((self.broker,), tuple(others)))


@move
@dataclass(frozen=True, slots=True)
class FreezeBroker(Move):
    """A broker stands still until it is released, as in a very long garbage collection."""

    broker: int

    name: ClassVar[str] = FROZEN

    def fits(self, ground: Ground, view: View) -> bool:  # noqa: ARG002
        return not ground.frozen and not ground.down

    def take(self, ground: Ground, view: View, *, waits: bool) -> None:
        ground.open(self.name, self.broker, Pause(self.broker))
        if waits and view.leader == self.broker:
            ground.soon(lambda: ground.partition.leader != self.broker, SESSION_S)


@move
@dataclass(frozen=True, slots=True)
class LosePower(Move):
    """A broker dies, and whatever it had not flushed of its log is gone; nobody else is down.

    What several of an ISR lose, at once or before they have it back, Kafka does not promise to
    keep: some other one has all that was promised.
    """

    broker: int

    name: ClassVar[str] = "lose_power"

    def fits(self, ground: Ground, view: View) -> bool:
        if not view.ends.get(self.broker) or ground.frozen or len(ground.down) >= AT_MOST_DOWN:
            return False
        others = {*view.logs} - {self.broker, *ground.down}
        return any(not view.missing(each) for each in others)

    def take(self, ground: Ground, view: View, *, waits: bool) -> None:
        where, directory = ground.partition.where, ground.play.cluster.files.log_dir(self.broker)
        flushed = read_offset_checkpoint(directory / FLUSHED).get((where.topic, where.partition), 0)
        ground.take_down(self.broker, PowerLoss(self.broker, where, flushed))
        if waits and view.leader == self.broker:
            ground.soon(lambda: ground.partition.leader != self.broker, DEPOSED_S)
