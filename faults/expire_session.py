"""A broker loses its session: ZooKeeper, or the controller, has not heard of it for too long."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

from highwater.faults.links import cut
from highwater.harness.cluster import Cluster
from highwater.harness.errors import PreconditionError
from highwater.harness.model import Proof
from highwater.harness.wait import wait_until

EXPIRY_TIMEOUT_S = 40.0


@dataclass(frozen=True, slots=True)
class ExpireSession:
    """For scenarios with gated_metadata: its link to the metadata is cut until it has expired.

    The broker runs and its peers reach it. Healing lets it register again. Raises PreconditionError
    where metadata links are not gated, DeadlineError when nobody takes the broker for dead.
    """

    broker: int

    needs: ClassVar = ("links", "nodes", "gated_metadata")

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[Proof]:
        if not cluster.spec.gated_metadata:
            raise PreconditionError("metadata links are not gated: say gated_metadata=True")
        voters = cluster.nodes.voters
        with cut(cluster, {(self.broker, voter) for voter in voters}) as links:
            alive = [each for each in cluster.brokers if cluster.nodes.running(each)]
            others = [each for each in alive if each != self.broker]
            wait_until(
                lambda: not any(self._is_known_to(cluster, each) for each in others),
                f"brokers {others} to hear that broker {self.broker} is gone",
                EXPIRY_TIMEOUT_S,
            )
            yield Proof({"requests held back": links.proof, "unknown to": others})

    def _is_known_to(self, cluster: Cluster, other: int) -> bool:
        known = cluster.probe(other).metadata().brokers
        return self.broker in {each.broker_id for each in known}
