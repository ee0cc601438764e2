"""Who leads the voters: KRaft controllers, or ZooKeeper servers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from highwater.harness.cluster import Cluster
from highwater.harness.errors import UsageError
from highwater.harness.scene import Scene

QUORUM_TIMEOUT_S = 40.0


def await_quorum_leader(scene: Scene, other_than: int | None) -> int:
    """Wait until a voter leads the others, and is not `other_than`; returns its number.

    Raises DeadlineError when none does, and UsageError where `other_than` is no voter.
    """
    nodes, metadata = scene.cluster.nodes, scene.cluster.metadata
    if other_than is not None and (type(other_than) is not int or other_than not in nodes.voters):
        raise UsageError(f"expected one of the voters {nodes.voters}, saw {other_than!r:.120}")
    who = "a voter" if other_than is None else f"another voter than {other_than}"
    scene.expect(
        f"{who} leads the quorum",
        lambda: (
            nodes.quorum_leader() != other_than
            and metadata.registered() is not None  # it answers us, too
        ),
        QUORUM_TIMEOUT_S,
        lambda: _look(scene.cluster),
    )
    leader = nodes.quorum_leader()
    scene.record.event("metadata", f"voter {leader} leads the quorum", voter=leader)
    return leader


def _look(cluster: Cluster) -> Mapping[str, Any]:
    try:
        return {"quorum leader": cluster.nodes.quorum_leader()}
    except LookupError as error:
        return {"quorum leader": str(error)}
