"""Moves around those who keep the metadata: who hears whom, and whose decisions arrive.

Who leads the voters is chance, and no schedule says it by number: a move is of whoever leads them.
A majority of them always hears one another.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from highwater.exploration.ground import BLIND, DEPOSED, QUORUM, Ground
from highwater.exploration.steps import Move, move
from highwater.exploration.views import View
from highwater.faults.hold_decisions import HoldDecisions
from highwater.faults.hold_isr_change import HoldIsrChange
from highwater.faults.hold_orders import HoldOrders
from highwater.faults.kill_metadata import KillMetadata
from highwater.faults.partition_quorum import PartitionQuorum
from highwater.harness.versions.catalogue import Kafka

REPLACED_S = 8.0  # voters miss their leader after two seconds, and the next one is elected


class _OfQuorum(Move):
    """Something is wrong with the voter that leads the others."""

    __slots__ = ()

    def fits(self, ground: Ground, view: View) -> bool:  # noqa: ARG002
        return len(ground.play.cluster.nodes.voters) > 1 and not ground.quorum

    def await_whole(self, ground: Ground) -> int:
        """Who leads when every voter answers: one that has died is back no sooner.

        Raises DeadlineError.
        """
        nodes = ground.play.cluster.nodes
        for each in nodes.voters:
            nodes.await_voter(each)
        return nodes.quorum_leader()

    def await_replaced(self, ground: Ground, before: int) -> None:
        nodes = ground.play.cluster.nodes
        ground.soon(lambda: nodes.quorum_leader() != before, REPLACED_S)


@move
@dataclass(frozen=True, slots=True)
class Depose(_OfQuorum):
    """The voter that leads hears no other voter, and brokers hear all of them (KRaft)."""

    name: ClassVar[str] = DEPOSED
    injects: ClassVar[type[PartitionQuorum]] = PartitionQuorum

    def exists(self, kafka: Kafka) -> bool:
        return kafka.kraft

    def fits(self, ground: Ground, view: View) -> bool:
        return self.exists(ground.kafka) and _OfQuorum.fits(self, ground, view)

    def take(self, ground: Ground, view: View, *, waits: bool) -> None:  # noqa: ARG002
        leader = self.await_whole(ground)
        ground.open(self.name, QUORUM, PartitionQuorum(leader))
        if waits:
            self.await_replaced(ground, leader)


@move
@dataclass(frozen=True, slots=True)
class KillVoter(_OfQuorum):
    """The voter that leads dies at once: a KRaft controller, or a ZooKeeper server."""

    name: ClassVar[str] = "kill_voter"
    injects: ClassVar[type[KillMetadata]] = KillMetadata

    def take(self, ground: Ground, view: View, *, waits: bool) -> None:  # noqa: ARG002
        leader = self.await_whole(ground)
        ground.open(self.name, QUORUM, KillMetadata())
        if waits:
            self.await_replaced(ground, leader)


@move
@dataclass(frozen=True, slots=True)
class Blind(Move):
    """A broker does not hear what is decided, and its session goes on."""

    broker: int

    name: ClassVar[str] = BLIND
    injects: ClassVar[type[HoldDecisions]] = HoldDecisions

    def fits(self, ground: Ground, view: View) -> bool:  # noqa: ARG002
        is_here = self.broker not in {*ground.down, *ground.frozen}
        return is_here and (self.name, self.broker) not in ground.links

    def take(self, ground: Ground, view: View, *, waits: bool) -> None:  # noqa: ARG002
        ground.open(self.name, self.broker, HoldDecisions(self.broker))


@move
@dataclass(frozen=True, slots=True)
class HoldIsr(Move):
    """What a leader asks of its ISR is under way until it is released (KRaft)."""

    broker: int

    name: ClassVar[str] = "hold_isr"
    injects: ClassVar[type[HoldIsrChange]] = HoldIsrChange

    def exists(self, kafka: Kafka) -> bool:
        return kafka.kraft

    def fits(self, ground: Ground, view: View) -> bool:
        is_new = (self.name, self.broker) not in ground.links
        return self.exists(ground.kafka) and is_new and view.leader == self.broker

    def take(self, ground: Ground, view: View, *, waits: bool) -> None:  # noqa: ARG002
        ground.open(self.name, self.broker, HoldIsrChange(self.broker))


@move
@dataclass(frozen=True, slots=True)
class Deafen(Move):
    """The controller's orders do not reach a broker (ZooKeeper mode)."""

    broker: int

    name: ClassVar[str] = "deafen"

    def exists(self, kafka: Kafka) -> bool:
        return not kafka.kraft

    def fits(self, ground: Ground, view: View) -> bool:  # noqa: ARG002
        return self.exists(ground.kafka) and (self.name, self.broker) not in ground.links

    def take(self, ground: Ground, view: View, *, waits: bool) -> None:  # noqa: ARG002
        controller = ground.play.cluster.nodes.controller
        ground.open(self.name, self.broker, HoldOrders(self.broker, controller))
