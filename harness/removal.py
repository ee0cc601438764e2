"""Which broker may leave a cluster for good."""

from __future__ import annotations

from collections.abc import Iterable

from highwater.harness.cluster import Cluster
from highwater.harness.errors import UsageError
from highwater.harness.partition import Partition


def require_removable(cluster: Cluster, broker: int, partitions: Iterable[Partition]) -> None:
    """Raises UsageError for who is no broker, or the last one, or has one of these, or votes."""
    brokers = cluster.brokers
    if type(broker) is not int or broker not in brokers or len(brokers) == 1:
        raise UsageError(f"expected one of several brokers {brokers}, saw {broker!r:.120}")
    held = [str(each.where) for each in partitions if broker in each.replicas]
    if broker in cluster.nodes.voters:
        raise UsageError(f"broker {broker} keeps the metadata, and cannot leave the cluster")
    if held:
        raise UsageError(
            f"expected broker {broker} to have no replica, saw those of {', '.join(held)}; "
            "let them have others by move_replicas first"
        )
