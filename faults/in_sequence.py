"""One fault after another, each healed before the next: a rolling restart."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar

from highwater.harness.cluster import Cluster, Fault
from highwater.harness.model import Proof


@dataclass(frozen=True, slots=True)
class InSequence:
    """The whole sequence is over when this is injected; healing does nothing.

    After each fault all brokers that run are waited for until they serve.
    """

    faults: tuple[Fault[Any], ...]

    needs: ClassVar = "nodes"

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[Proof]:
        proofs = []
        for fault in self.faults:
            with fault.inject(cluster) as injected:
                proofs.append({repr(fault): dict(injected.proof)})
            for broker in cluster.brokers:
                if cluster.nodes.running(broker):
                    cluster.nodes.await_serving(broker)
        yield Proof({"healed, in this order": proofs})
