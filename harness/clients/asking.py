"""What clients of a play cannot tell, and brokers can."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from highwater.harness.cluster import NODES, Cluster, running
from highwater.harness.model import TopicPartition
from highwater.harness.scene import Scene


def high_watermarks(scene: Scene, wheres: Sequence[TopicPartition]) -> dict[TopicPartition, int]:
    """The leaders'; nothing as long as there is one that nobody tells."""
    looks = scene.sampler.look_at(wheres)
    known: dict[TopicPartition, int] = {}
    for where, look in looks.items():
        leader = None if look.partition is None else look.partition.leader
        mark = None if leader is None else look.high_watermarks().get(leader)
        if mark is None:
            return {}
        known[where] = mark
    return known


def share_members(scene: Scene, group: str) -> Mapping[str, frozenset[tuple[str, int]]]:
    """The client ids in a share group, and the partitions of each; only its coordinator knows.

    Raises LookupError as long as no broker says so.
    """
    said = []
    for broker in _answering(scene.cluster):
        try:
            return scene.cluster.probe(broker).share_members(group)
        except (OSError, LookupError) as error:
            said.append(f"{broker}: {error}")
    raise LookupError(f"no broker told the members of {group}: {'; '.join(said) or 'none runs'}")


def _answering(cluster: Cluster) -> Sequence[int]:
    """Those that run and are not frozen, as far as we would know."""
    knows = NODES in cluster.has
    return [
        each
        for each in running(cluster, cluster.brokers)
        if not (knows and cluster.nodes.frozen(each))
    ]
