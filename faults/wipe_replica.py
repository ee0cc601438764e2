"""A replica's directory is gone, as after a change of disk."""

from __future__ import annotations

import shutil
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

from highwater.faults.offline import offline_replica
from highwater.harness.cluster import Cluster
from highwater.harness.model import Proof, TopicPartition
from highwater.harness.probes.checkpoints import CLEAN_SHUTDOWN_MARKER


@dataclass(frozen=True, slots=True)
class WipeReplica:
    """Remove everything that a broker which does not run has of one partition.

    On a new disk there is no word of a clean shutdown either, by which a controller with eligible
    leader replicas (KIP-966) would count on what the broker had. Raises PreconditionError when the
    broker runs. Healing does nothing: started again, the broker fetches what it lacks.
    """

    broker: int
    where: TopicPartition

    needs: ClassVar = ("nodes", "files")

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[Proof]:
        directory = offline_replica(cluster, self.broker, self.where)
        files = sum(1 for _ in directory.iterdir())
        shutil.rmtree(directory)
        (directory.parent / CLEAN_SHUTDOWN_MARKER).unlink(missing_ok=True)
        yield Proof({"files removed": files})
