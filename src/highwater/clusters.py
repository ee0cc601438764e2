"""Starts clusters ahead: the next one boots while the last trial on this one is played."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from concurrent.futures import Future, wait
from pathlib import Path

from highwater.backends import make_site
from highwater.cells import Cell
from highwater.harness.background import Background
from highwater.harness.endings import Endings
from highwater.harness.errors import ENVIRONMENT, in_words
from highwater.harness.jvm.runtime import Runtime
from highwater.harness.kafka_cluster import KafkaCluster
from highwater.harness.lifetime import Lifetime
from highwater.harness.nodes import START_TIMEOUT_S
from highwater.harness.patience import left_s

UNWINDING_S = 10.0  # how long a cluster that gave up starting may take to end its nodes


class Clusters(Lifetime):
    """Clusters for cells, at most two at a time; all of them end with the context."""

    def __init__(
        self,
        place: Path,
        runtimes: Mapping[str, Runtime],
        announce: Callable[[str], None],
        warned: Callable[[str], None],
    ) -> None:
        super().__init__()
        self._place = place
        self._runtimes = runtimes
        self._announce = announce
        self._warned = warned  # is told what goes wrong when a cluster ends
        self._numbers = itertools.count(1)
        self._starter = Background("starter")
        self._ahead: Future[KafkaCluster] | None = None
        self._current = Endings()

    def _begin(self) -> None:
        self._ending.callback(self._starter.close)
        self._ending.callback(self._end, self._end_ahead)
        self._ending.callback(self._end, self._current.close)

    def _end_ahead(self) -> None:
        """End the cluster that nobody has taken.

        One that is still starting when the process is told to end gives up when all waits do, and
        then ends its nodes: only then may the directory be removed in which they write.
        """
        ahead, self._ahead = self._ahead, None
        if ahead is None or ahead.cancel():
            return
        wait([ahead], left_s(START_TIMEOUT_S) + UNWINDING_S)
        if ahead.done() and ahead.exception() is None:
            ahead.result().__exit__(None, None, None)

    def prepare(self, cell: Cell) -> Future[KafkaCluster]:
        """Begin to start the cluster that `take` will hand out next."""
        self._ahead = self._starter.submit(self._start, cell)
        return self._ahead

    def prepare_next(self, cell: Cell) -> None:
        """The same while another cluster is in use, unless it is the one that there is."""
        if cell.backend.project is None:
            self.prepare(cell)

    def take(self, cell: Cell) -> KafkaCluster:
        """The cluster for a cell; the one in use so far ends.

        Raises what is of ENVIRONMENT when it does not come up; the next call starts another one.
        """
        self._end(self._current.close)
        ahead = self._ahead or self.prepare(cell)
        try:
            cluster = ahead.result()  # who is interrupted here still ends it on the way out
        except Exception:
            self._ahead = None
            raise
        self._current.callback(cluster.__exit__, None, None, None)
        self._ahead = None
        return cluster

    def _end(self, end: Callable[[], None]) -> None:
        """What has been played on a cluster is not worth less for how it ends."""
        try:
            end()
        except ENVIRONMENT as error:
            self._warned(f"a cluster did not end as it should: {in_words(error)}")

    def _start(self, cell: Cell) -> KafkaCluster:
        runtime = self._runtimes[cell.kafka.name]
        directory = self._place / f"cluster-{next(self._numbers)}"
        site = make_site(cell.backend, runtime, directory, self._announce)
        self._announce(f"{cell.column}: starting a cluster")
        return KafkaCluster(site, cell.spec).__enter__()
