"""Asks brokers the same, once a second, while a play goes on."""

from __future__ import annotations

import struct
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterable
from concurrent.futures import Future
from functools import partial

from highwater.harness.cluster import Cluster
from highwater.harness.complaints import Complaints
from highwater.harness.errors import InfrastructureError, in_words
from highwater.harness.lifetime import Lifetime
from highwater.harness.probes.wire import Wire
from highwater.harness.record.writer import RunRecord
from highwater.harness.side_by_side import SideBySide

INTERVAL_S = 1.0
END_TIMEOUT_S = 10.0


class Looks(Lifetime, ABC):
    """Looks for as long as the context is open, from when there is something to ask about.

    Each broker is asked on a connection of its own, and not again before it has answered, so that
    nobody else waits for these answers. Who does not answer gives no row. `what` is asked about, a
    word for messages.
    """

    def __init__(self, what: str, cluster: Cluster, record: RunRecord) -> None:
        super().__init__()
        self._what, self._cluster, self._record = what, cluster, record
        self._has_begun = False
        self._lock = threading.Lock()
        self._asked = SideBySide(what)
        self._wires: dict[int, Wire] = {}
        self._begun: dict[int, Future[None]] = {}
        self._complaints = Complaints(what, lambda text: record.event("note", text))
        self._failure: Exception | None = None
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._look, name=what, daemon=True)

    @abstractmethod
    def _whom(self) -> Iterable[int]:
        """The brokers that are asked now; none where there is nothing to ask about."""

    @abstractmethod
    def _ask(self, broker: int, wire: Wire) -> None:
        """Ask one, and record what it says.

        May raise OSError and LookupError where it says nothing, ValueError and struct.error where
        its answer cannot be read.
        """

    def _look_last(self) -> None:
        """What is left to do when the context ends; nothing, as a rule."""

    def _look_from_now_on(self) -> None:
        """Once, by whoever holds the lock."""
        if not self._has_begun:
            self._has_begun = True
            self._thread.start()

    def _begin(self) -> None:
        self._ending.callback(self._end)

    def _end(self) -> None:
        """Raises what has ended it early."""
        self._stop.set()
        if self._has_begun:
            self._thread.join(END_TIMEOUT_S)
        for broker, begun in self._begun.items():
            begun.cancel()  # where it has not begun
            begun.add_done_callback(partial(self._close, broker))
        self._asked.close()
        self._complaints.close()
        if self._failure is not None:
            failed = in_words(self._failure)
            raise InfrastructureError(f"asking about {self._what} ended early: {failed}") from (
                self._failure
            )

    def _close(self, broker: int, _done: Future[None]) -> None:
        if broker in self._wires:
            self._wires[broker].close()

    def _look(self) -> None:
        try:
            while not self._stop.wait(INTERVAL_S):
                self._glance()
            self._look_last()
        except Exception as error:  # noqa: BLE001 - raised by whoever ends this thread
            self._failure = error

    def _glance(self) -> None:
        """Ask whoever has answered before."""
        for broker in self._whom():
            before = self._begun.get(broker)
            if before is None or before.done():
                begun = self._asked.begin(broker, partial(self._ask_one, broker))
                if begun is not None:
                    self._begun[broker] = begun

    def _ask_one(self, broker: int) -> None:
        if broker not in self._wires:
            self._wires[broker] = Wire.at(self._cluster.address(broker))
        try:
            self._ask(broker, self._wires[broker])
        except (OSError, LookupError):
            return
        except (ValueError, struct.error) as error:
            self._complaints.add(f"an answer of broker {broker} cannot be read: {in_words(error)}")
