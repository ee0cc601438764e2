"""Who is hit: a role, which somebody has at the moment when the fault is injected."""

from __future__ import annotations

from dataclasses import dataclass

from highwater.harness.cluster import Cluster
from highwater.harness.errors import PreconditionError
from highwater.harness.model import TopicPartition

OFFSETS, TRANSACTIONS = TopicPartition("__consumer_offsets"), TopicPartition("__transaction_state")


@dataclass(frozen=True, slots=True)
class Leader:
    where: TopicPartition

    def broker(self, cluster: Cluster) -> int:
        leader = cluster.metadata.partition(self.where).leader
        if leader < 0:
            raise PreconditionError(f"nobody leads {self.where}")
        return leader


@dataclass(frozen=True, slots=True)
class Follower:
    """The `nth` in the order of assignment, counted from 0, of those in sync or of those not."""

    where: TopicPartition
    nth: int = 0
    in_sync: bool = True

    def broker(self, cluster: Cluster) -> int:
        state = cluster.metadata.partition(self.where)
        others = [each for each in state.replicas if each != state.leader]
        chosen = [each for each in others if (each in state.isr) == self.in_sync]
        if self.nth >= len(chosen):
            raise PreconditionError(f"{self} is nobody: {state}")
        return chosen[self.nth]


@dataclass(frozen=True, slots=True)
class Controller:
    """Of ZooKeeper times the broker that is the controller now, of KRaft the quorum's leader."""

    def broker(self, cluster: Cluster) -> int:
        if cluster.kafka.kraft:
            return cluster.nodes.quorum_leader()
        return cluster.probe(cluster.brokers[0]).metadata().controller_id


@dataclass(frozen=True, slots=True)
class Coordinator:
    """Of consumer groups, or of `transactions`: who leads their topic's only partition."""

    transactions: bool = False

    def broker(self, cluster: Cluster) -> int:
        return Leader(TRANSACTIONS if self.transactions else OFFSETS).broker(cluster)
