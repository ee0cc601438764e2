"""A voter hears no other voter, and brokers hear all of them: KRaft's quorum falls apart."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

from highwater.faults.at_the_gate import STAND_TIMEOUT_S
from highwater.faults.links import CutLinks, between, cut
from highwater.harness.cluster import Cluster
from highwater.harness.errors import PreconditionError
from highwater.harness.wait import wait_until


@dataclass(frozen=True, slots=True)
class PartitionQuorum:
    """For clusters of three voters with gated_metadata; one that leads may not know it is deposed.

    Taken effect when a request between voters has been held back. Aim it at whoever leads:
    `Aimed(QuorumLeader(), PartitionQuorum)`. Raises PreconditionError for a single voter, and for
    ZooKeeper servers, which have no gate between them.
    """

    voter: int

    needs: ClassVar = ("links", "nodes", "gated_metadata")

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[CutLinks]:
        others = set(cluster.nodes.voters) - {self.voter}
        if not others:
            raise PreconditionError(f"voter {self.voter} is the only one: say voters=3")
        with cut(cluster, between((self.voter,), others)) as links:
            wait_until(
                lambda: any(links.proof.values()),
                f"a request between voter {self.voter} and {sorted(others)} to be held back",
                STAND_TIMEOUT_S,
            )
            yield links
