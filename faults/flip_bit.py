"""A disk lies: one bit of a record is another one when it is read again."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

from highwater.faults.offline import offline_batch
from highwater.harness.cluster import Cluster
from highwater.harness.model import Proof, TopicPartition

MASK = 0x01


@dataclass(frozen=True, slots=True)
class FlipBit:
    """The last byte of the batch that has `offset`, in the log of a broker that does not run.

    Raises PreconditionError when the broker runs or has no such batch. Healing does nothing: it is
    for the broker to notice, and for the other replicas to have the record.
    """

    broker: int
    where: TopicPartition
    offset: int

    needs: ClassVar = ("nodes", "files")

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[Proof]:
        batch = offline_batch(cluster, self.broker, self.where, self.offset)
        position = batch.position + batch.size_bytes - 1
        with batch.path.open("r+b") as log:
            log.seek(position)
            before = log.read(1)[0]
            log.seek(position)
            log.write(bytes([before ^ MASK]))
        yield Proof({"file": batch.path.name, "position": position, "byte before": before})
