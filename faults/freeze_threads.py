"""Some threads of a broker stand still: one part of it is slow, and the others do not wait for it.

As when a coordinator computes for long, or a disk keeps the thread that writes to it. What is meant
for such a thread stands in its queue.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

from highwater.harness.cluster import Cluster
from highwater.harness.errors import UsageError
from highwater.harness.model import Proof
from highwater.harness.processes.held_threads import held_threads, state

COORDINATING = "group-coordinator-event-processor"  # brokers have such threads from 4.0 on


@dataclass(frozen=True, slots=True)
class FreezeThreads:
    """Those whose names begin with `named`, as a thread dump of the broker has them.

    The kernel keeps fifteen characters of a name: what differs behind these is frozen as well. Each
    is stopped where it waits, by ptrace(2), and goes on from there when the fault is healed; who
    begins later is not. A broker may not come to its end by Stop meanwhile, and does by Kill.
    """

    broker: int
    named: str

    needs: ClassVar = ("nodes", "processes")

    def __post_init__(self) -> None:
        """Raises UsageError for no name: all threads of a broker are what Pause stops."""
        if not self.named or "\0" in self.named:
            raise UsageError(
                "expected how the names of threads begin, such as FreezeThreads(2, "
                f"'ReplicaFetcherThread'), saw {self.named!r}; Pause stops all of a broker"
            )

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[Proof]:
        pid = cluster.nodes[self.broker].pid
        with held_threads(pid, self.named) as held:
            yield Proof(
                {f"{name} {each}": f"state: {state(pid, each)}" for each, name in held.items()}
            )
