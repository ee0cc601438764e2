"""A log ends in the middle of a batch, as after a write that was torn."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

from highwater.harness.cluster import Cluster
from highwater.harness.errors import PreconditionError
from highwater.harness.model import Proof, TopicPartition
from highwater.harness.probes.batches import log_batches


@dataclass(frozen=True, slots=True)
class TearBatch:
    """The batch that has `offset` keeps its first half only, and nothing follows it.

    For a broker that does not run: raises PreconditionError otherwise, and for an offset that is
    not there. Healing does nothing; an unclean start recovers the log up to that batch.
    """

    broker: int
    where: TopicPartition
    offset: int

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[Proof]:
        if cluster.running(self.broker):
            raise PreconditionError(f"broker {self.broker} runs: its files are not to be touched")
        directory = cluster.log_dir(self.broker) / str(self.where)
        batches = log_batches(directory)
        torn = [one for one in batches if one.base_offset <= self.offset <= one.last_offset]
        if not torn:
            raise PreconditionError(f"{directory} has no record at offset {self.offset}")
        path, length = torn[0].path, torn[0].position + torn[0].size_bytes // 2
        for later in [one.path for one in batches if one.path > path]:
            later.unlink(missing_ok=True)
        before = path.stat().st_size
        with path.open("r+b") as log:
            log.truncate(length)
        yield Proof({"file": path.name, "bytes before": before, "bytes now": length})
