"""A broker's machine loses power: the process dies and the unflushed end of a log is gone."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

from highwater.faults.cut_tail import CutTail
from highwater.faults.kill import Kill
from highwater.harness.cluster import Cluster
from highwater.harness.model import Proof, TopicPartition


@dataclass(frozen=True, slots=True)
class PowerLoss:
    """SIGKILL, then the log is cut so that it ends at `log_end_offset`: see CutTail.

    Healing starts the broker again.
    """

    broker: int
    where: TopicPartition
    log_end_offset: int

    needs: ClassVar = ("nodes", "files")

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[Proof]:
        cut_tail = CutTail(self.broker, self.where, self.log_end_offset)
        with Kill(self.broker).inject(cluster) as dead, cut_tail.inject(cluster) as cut:
            yield Proof({**dead.proof, **cut.proof})
