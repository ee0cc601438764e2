"""Moves of what brokers run on: a disk is replaced, a clock jumps, threads stand still."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from highwater.exploration.ground import Ground
from highwater.exploration.steps import Move, move
from highwater.exploration.views import View
from highwater.faults.freeze_threads import COORDINATING, FreezeThreads
from highwater.faults.jump_clock import JumpClock
from highwater.faults.wipe_replica import WipeReplica
from highwater.harness.errors import UsageError
from highwater.harness.processes.held_threads import has_threads
from highwater.harness.versions.catalogue import Kafka

LONGEST_S = 24 * 3600  # a week would be retention.ms, by which Kafka promises to forget


@move
@dataclass(frozen=True, slots=True)
class Wipe(Move):
    """A broker that is down, and out of the ISR, has nothing of the partition when it comes back.

    Nobody counts on a replica that is out of sync: an operator may replace its disk.
    """

    broker: int

    name: ClassVar[str] = "wipe"
    injects: ClassVar[type[WipeReplica]] = WipeReplica

    def fits(self, ground: Ground, view: View) -> bool:
        if view.partition is None or ground.positions is not None:
            return False
        has_log = ground.plot.directory(self.broker).exists()
        return self.broker in ground.down and self.broker not in view.isr and has_log

    def take(self, ground: Ground, view: View, *, waits: bool) -> None:  # noqa: ARG002
        ground.play.inject(WipeReplica(self.broker, ground.partition.where))


@move
@dataclass(frozen=True, slots=True)
class Jump(Move):
    """A broker's wall clock is so far off until it is released."""

    broker: int
    shift_s: int

    name: ClassVar[str] = "jump"
    injects: ClassVar[type[JumpClock]] = JumpClock

    def __post_init__(self) -> None:
        """Raises UsageError for a jump that retention would notice, or none."""
        if not 0 < abs(self.shift_s) <= LONGEST_S:
            raise UsageError(f"expected 1 to {LONGEST_S} seconds, or as many back, saw {self}")

    def fits(self, ground: Ground, view: View) -> bool:  # noqa: ARG002
        is_taken = (self.name, self.broker) in ground.links
        return not is_taken and self.broker not in {*ground.down, *ground.frozen}

    def take(self, ground: Ground, view: View, *, waits: bool) -> None:  # noqa: ARG002
        ground.open(self.name, self.broker, JumpClock(self.broker, self.shift_s))


@move
@dataclass(frozen=True, slots=True)
class Engross(Move):
    """What coordinates groups in a broker stands still until it is released; the others go on.

    As if it computed for long: nobody promises when a thread has its turn.
    """

    broker: int

    name: ClassVar[str] = "engross"
    injects: ClassVar[type[FreezeThreads]] = FreezeThreads

    def exists(self, kafka: Kafka) -> bool:
        return kafka.assigns_partitions  # by the coordinator that has them, new in 4.0 (KIP-848)

    def fits(self, ground: Ground, view: View) -> bool:  # noqa: ARG002
        is_taken = (self.name, self.broker) in ground.links
        if is_taken or self.broker in {*ground.down, *ground.frozen}:
            return False
        return has_threads(ground.play.cluster.nodes[self.broker].pid, COORDINATING)

    def take(self, ground: Ground, view: View, *, waits: bool) -> None:  # noqa: ARG002
        ground.open(self.name, self.broker, FreezeThreads(self.broker, COORDINATING))
