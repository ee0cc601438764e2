"""The unflushed end of a dead broker's log is gone, as after a loss of power."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

from highwater.faults.offline import offline_replica
from highwater.harness.cluster import Cluster
from highwater.harness.errors import PreconditionError
from highwater.harness.model import Proof, TopicPartition
from highwater.harness.probes.checkpoints import read_offset_checkpoint, stopped_cleanly
from highwater.harness.probes.tail_cut import cut_tail


@dataclass(frozen=True, slots=True)
class CutTail:
    """The log of a broker that was killed is cut at a batch boundary, to end at `log_end_offset`.

    Any suffix of a log above its recovery point is what a power loss may take; below it the broker
    has flushed, and the cut is refused with PreconditionError. What is gone stays gone: healing
    does nothing, and it is for the other replicas to bring the records back.
    """

    broker: int
    where: TopicPartition
    log_end_offset: int

    needs: ClassVar = ("nodes", "files")

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[Proof]:
        replica = offline_replica(cluster, self.broker, self.where)
        log_dir = replica.parent
        if stopped_cleanly(log_dir):
            raise PreconditionError(f"{log_dir} has a clean-shutdown marker: everything is flushed")
        points = read_offset_checkpoint(log_dir / "recovery-point-offset-checkpoint")
        recovery_point = points.get((self.where.topic, self.where.partition), 0)
        cut = cut_tail(replica, self.log_end_offset, recovery_point)
        if not cut.removed_batches:
            raise PreconditionError(
                f"{self.where} on broker {self.broker} already ended at {self.log_end_offset}"
            )
        yield Proof(
            {
                "recovery point": recovery_point,
                "first offset removed": cut.first_removed_offset,
                "batches removed": cut.removed_batches,
                "bytes removed": cut.removed_bytes,
            }
        )
