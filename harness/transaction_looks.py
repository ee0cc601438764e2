"""Asks coordinators what has become of transactions, once a second, and records it (KIP-664)."""

from __future__ import annotations

import struct
import threading
import time
from concurrent.futures import Future
from functools import partial

from highwater.harness.cluster import Cluster
from highwater.harness.complaints import Complaints
from highwater.harness.errors import InfrastructureError, in_words
from highwater.harness.lifetime import Lifetime
from highwater.harness.patience import left_s
from highwater.harness.probes.transactions import describe_transactions
from highwater.harness.probes.wire import Wire
from highwater.harness.record.writer import RunRecord
from highwater.harness.side_by_side import SideBySide

INTERVAL_S = 1.0
END_TIMEOUT_S = 10.0
# How long the end waits for what is decided: its markers are written, as all was read to its end.
LAST_S, PAUSE_S = 3.0, 0.05
DECIDED = ("PrepareCommit", "PrepareAbort")


class TransactionLooks(Lifetime):
    """Looks for as long as the context is open, from when there is a transactional id to ask about.

    Each broker is asked on a connection of its own, and not again before it has answered, so that
    nobody else waits for these answers. Who coordinates others, or does not answer, gives no row.
    What was decided when it was last looked at is looked at once more in the end, until it is
    complete: whether it ever is nobody could tell otherwise.
    """

    def __init__(self, cluster: Cluster, record: RunRecord) -> None:
        super().__init__()
        self._cluster = cluster
        self._record = record
        self._names: tuple[str, ...] = ()  # replaced, never changed
        self._lock = threading.Lock()
        self._asked = SideBySide("transactions")
        self._wires: dict[int, Wire] = {}
        self._begun: dict[int, Future[None]] = {}
        self._said: dict[str, str] = {}  # of each transactional id its state, when last heard
        self._complaints = Complaints("transactions", lambda text: record.event("note", text))
        self._failure: Exception | None = None
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._look, name="transactions", daemon=True)

    def watch(self, transactional_id: str) -> None:
        """Ask about this one from now on."""
        with self._lock:
            if transactional_id in self._names:
                return
            self._names = (*self._names, transactional_id)
            if len(self._names) == 1:
                self._thread.start()

    def _begin(self) -> None:
        self._ending.callback(self._end)

    def _end(self) -> None:
        """Raises what has ended it early."""
        self._stop.set()
        if self._names:
            self._thread.join(END_TIMEOUT_S)
        for broker, begun in self._begun.items():
            begun.cancel()  # where it has not begun
            begun.add_done_callback(partial(self._close, broker))
        self._asked.close()
        self._complaints.close()
        if self._failure is not None:
            failed = in_words(self._failure)
            raise InfrastructureError(
                f"asking about transactions ended early: {failed}"
            ) from self._failure

    def _close(self, broker: int, _done: Future[None]) -> None:
        if broker in self._wires:
            self._wires[broker].close()

    def _look(self) -> None:
        try:
            while not self._stop.wait(INTERVAL_S):
                if self._cluster.kafka.describes_transactions:
                    self._glance()
            until_s = time.monotonic() + LAST_S
            while self._awaits() and left_s(until_s - time.monotonic()) > 0:
                self._glance()
                threading.Event().wait(PAUSE_S)
        except Exception as error:  # noqa: BLE001 - raised by whoever ends this thread
            self._failure = error

    def _awaits(self) -> bool:
        """Whether something was decided, and not yet complete, when it was last looked at."""
        return any(self._said.get(name) in DECIDED for name in self._names)

    def _glance(self) -> None:
        """Ask whoever has answered before."""
        for broker in self._cluster.coordinators:
            before = self._begun.get(broker)
            if before is None or before.done():
                begun = self._asked.begin(broker, partial(self._ask, broker, self._names))
                if begun is not None:
                    self._begun[broker] = begun

    def _ask(self, broker: int, names: tuple[str, ...]) -> None:
        try:
            found = describe_transactions(self._wire(broker), names)
        except (OSError, LookupError):
            return
        except (ValueError, struct.error) as error:
            self._complaints.add(f"an answer of broker {broker} cannot be read: {in_words(error)}")
            return
        at_ns = self._record.now_ns()
        self._record.transactions(
            {
                "at_ns": at_ns,
                "transactional_id": name,
                "coordinator": broker,
                "state": each.state,
                "producer_id": each.owner.producer_id,
                "epoch": each.owner.epoch,
                "began_ms": each.began_ms,
            }
            for name, each in found.items()
        )
        self._said.update({name: each.state for name, each in found.items()})

    def _wire(self, broker: int) -> Wire:
        if broker not in self._wires:
            self._wires[broker] = Wire.at(self._cluster.address(broker))
        return self._wires[broker]
