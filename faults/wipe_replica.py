"""A replica's directory is gone, as after a change of disk."""

from __future__ import annotations

import shutil
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

from highwater.faults.offline import offline_files
from highwater.harness.cluster import Cluster
from highwater.harness.model import Proof, TopicPartition


@dataclass(frozen=True, slots=True)
class WipeReplica:
    """Remove everything that a broker which does not run has of one partition.

    Raises PreconditionError when the broker runs. Healing does nothing: started again, the broker
    fetches from the leader what it lacks.
    """

    broker: int
    where: TopicPartition

    needs: ClassVar = ("nodes", "files")

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[Proof]:
        directory = offline_files(cluster, self.broker) / str(self.where)
        files = sum(1 for _ in directory.iterdir())
        shutil.rmtree(directory)
        yield Proof({"files removed": files})
