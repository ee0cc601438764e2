"""A log ends in the middle of a batch, as after a write that was torn."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

from highwater.faults.offline import offline_batch
from highwater.harness.cluster import Cluster
from highwater.harness.model import Proof, TopicPartition


@dataclass(frozen=True, slots=True)
class TearBatch:
    """The batch that has `offset` keeps its first half only, and nothing follows it.

    For a broker that does not run: raises PreconditionError otherwise, and for an offset that is
    not there. Healing does nothing; an unclean start recovers the log up to that batch.
    """

    broker: int
    where: TopicPartition
    offset: int

    needs: ClassVar = ("nodes", "files")

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[Proof]:
        torn = offline_batch(cluster, self.broker, self.where, self.offset)
        path, length = torn.path, torn.position + torn.size_bytes // 2
        for later in path.parent.glob("*.log"):
            if later > path:
                later.unlink()
        before = path.stat().st_size
        with path.open("r+b") as log:
            log.truncate(length)
        yield Proof({"file": path.name, "bytes before": before, "bytes now": length})
