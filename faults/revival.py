"""How a broker comes back that a fault has brought to halt by itself."""

from __future__ import annotations

from highwater.harness.cluster import Cluster


def revive(cluster: Cluster, broker: int) -> None:
    """Start a broker unless it runs; what is left of its old session would turn it away."""
    if not cluster.nodes.running(broker):
        cluster.metadata.end_session(broker)
        cluster.nodes.start(broker)
