"""The nodes that keep the metadata: which of them leads, and which links to them have a gate."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from highwater.harness.cluster import Cluster
from highwater.harness.errors import PreconditionError


@dataclass(frozen=True, slots=True)
class QuorumLeader:
    """A target for Aimed: the KRaft controller, or ZooKeeper server, that leads the others."""

    def broker(self, cluster: Cluster) -> int:
        return cluster.nodes.quorum_leader()


def no_leaders(cluster: Cluster) -> tuple[int, ...]:
    """Who is fetched from and leads no partition: voters that are no brokers, where a gate sees it.

    A KRaft broker fetches the metadata log from them as a follower fetches records.
    """
    if not (cluster.spec.gated_metadata and "nodes" in cluster.has):
        return ()
    return tuple(each for each in cluster.nodes.voters if each not in cluster.brokers)


def require_gates(cluster: Cluster, links: Iterable[tuple[int, int]]) -> None:
    """Raises PreconditionError for a link with a voter on which no rule would see anything."""
    voters = set(cluster.nodes.voters)
    for link in map(set, links):
        if voters & link and not cluster.spec.gated_metadata:
            raise PreconditionError("metadata links are not gated: say gated_metadata=True")
        if voters >= link and not cluster.kafka.kraft:
            raise PreconditionError(
                f"ZooKeeper servers {sorted(link)} reach each other past the gate; on containers "
                "Disconnect cuts them off"
            )
