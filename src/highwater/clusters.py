"""Starts clusters ahead: the next one boots while the last trial on this one is played."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

from highwater.backends import make_site
from highwater.cells import Cell
from highwater.harness.jvm.runtime import Runtime
from highwater.harness.kafka_cluster import KafkaCluster
from highwater.harness.lifetime import Lifetime


class Clusters(Lifetime):
    """Clusters for cells, at most two at a time; all of them end with the context."""

    def __init__(
        self, place: Path, runtimes: Mapping[str, Runtime], told: Callable[[str], None]
    ) -> None:
        super().__init__()
        self._place = place
        self._runtimes = runtimes
        self._told = told
        self._numbers = itertools.count(1)
        self._starter = ThreadPoolExecutor(1, thread_name_prefix="starter")
        self._ahead: Future[KafkaCluster] | None = None
        self._current = ExitStack()

    def _begin(self) -> None:
        self._ending.callback(self._end)

    def _end(self) -> None:
        with self._current:  # leaving it ends the cluster in use
            if self._ahead is not None and self._ahead.exception() is None:
                self._current.push(self._ahead.result().__exit__)
            self._starter.shutdown()

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

        Raises InfrastructureError when it does not come up.
        """
        self._current.close()
        ahead = self._ahead or self.prepare(cell)
        cluster = ahead.result()  # who is interrupted here still ends it on the way out
        self._current.push(cluster.__exit__)
        self._ahead = None
        return cluster

    def _start(self, cell: Cell) -> KafkaCluster:
        runtime = self._runtimes[cell.kafka.name]
        directory = self._place / f"cluster-{next(self._numbers)}"
        site = make_site(cell.backend, runtime, directory, self._told)
        self._told(f"{cell.column}: starting a cluster")
        return KafkaCluster(site, cell.spec).__enter__()
