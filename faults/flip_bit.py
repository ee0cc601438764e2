"""A disk lies: one bit of a record is another one when it is read again."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

from highwater.harness.cluster import Cluster
from highwater.harness.errors import PreconditionError
from highwater.harness.model import Proof, TopicPartition
from highwater.harness.probes.batches import log_batches

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

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[Proof]:
        if cluster.running(self.broker):
            raise PreconditionError(f"broker {self.broker} runs: its files are not to be touched")
        directory = cluster.log_dir(self.broker) / str(self.where)
        having = [
            batch
            for batch in log_batches(directory)
            if batch.base_offset <= self.offset <= batch.last_offset
        ]
        if not having:
            raise PreconditionError(f"{directory} has no record at offset {self.offset}")
        position = having[0].position + having[0].size_bytes - 1
        with having[0].path.open("r+b") as log:
            log.seek(position)
            before = log.read(1)[0]
            log.seek(position)
            log.write(bytes([before ^ MASK]))
        yield Proof({"file": having[0].path.name, "position": position, "byte before": before})
