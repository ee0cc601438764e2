"""Moves of an operator: a replica is taken and given back, a topic is created anew."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from highwater.exploration.coordinators import REASSIGNED_S
from highwater.exploration.ground import Ground
from highwater.exploration.moves import OUT_S
from highwater.exploration.steps import Move, move
from highwater.exploration.views import View

FEWEST = 2  # replicas: with min.insync.replicas=2 nothing is acknowledged by one


@move
@dataclass(frozen=True, slots=True)
class Drop(Move):
    """A broker has a replica no more; it may be down, and know nothing of that."""

    broker: int

    name: ClassVar[str] = "drop"

    def fits(self, ground: Ground, view: View) -> bool:
        if view.partition is None or ground.positions is not None:
            return False
        replicas = view.partition.replicas
        return self.broker in replicas and len(replicas) > FEWEST

    def take(self, ground: Ground, view: View, *, waits: bool) -> None:  # noqa: ARG002
        assert view.partition is not None
        left = [each for each in view.partition.replicas if each != self.broker]
        ground.play.step(f"broker {self.broker} shall have no replica: {left}")
        ground.play.cluster.metadata.reassign(ground.partition.where, left, REASSIGNED_S)


@move
@dataclass(frozen=True, slots=True)
class Assign(Move):
    """A broker that has no replica gets one."""

    broker: int

    name: ClassVar[str] = "assign"

    def fits(self, ground: Ground, view: View) -> bool:
        if view.partition is None or ground.positions is not None:
            return False
        return self.broker not in {*view.partition.replicas, *ground.down, *ground.frozen}

    def take(self, ground: Ground, view: View, *, waits: bool) -> None:
        assert view.partition is not None
        replicas = [*view.partition.replicas, self.broker]
        ground.play.step(f"broker {self.broker} shall have a replica: {replicas}")
        ground.play.cluster.metadata.reassign(ground.partition.where, replicas, REASSIGNED_S)
        if waits:
            ground.soon(lambda: self.broker in ground.partition.state().isr, OUT_S)


@move
@dataclass(frozen=True, slots=True)
class Recreate(Move):
    """The topic is deleted, and created under its name: what was promised before is void.

    It fits where nothing is in the way of a deletion, which would not end: who has a replica runs,
    and hears everything, and every request has its answer.
    """

    name: ClassVar[str] = "recreate"
    is_needed: ClassVar[bool] = True  # another topic, or the schedule is of nothing

    def fits(self, ground: Ground, view: View) -> bool:
        is_alone = ground.positions is None and ground.neighbour is None
        if not is_alone or view.partition is None or ground.transactors:
            return False
        is_calm = not (ground.links or ground.pouring or ground.injected)
        there = ground.down.keys().isdisjoint(view.partition.replicas)
        return is_calm and there and ground.plot.is_answered and view.is_replicated

    def take(self, ground: Ground, view: View, *, waits: bool) -> None:  # noqa: ARG002
        ground.recreate()
