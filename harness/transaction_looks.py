"""Asks coordinators what has become of transactions, once a second, and records it (KIP-664)."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence

from highwater.harness.cluster import Cluster
from highwater.harness.looks import Looks
from highwater.harness.patience import left_s
from highwater.harness.probes.transactions import describe_transactions
from highwater.harness.probes.wire import Wire
from highwater.harness.record.writer import RunRecord

# How long the end waits for what is decided: its markers are written, as all was read to its end.
LAST_S, PAUSE_S = 3.0, 0.05
DECIDED = ("PrepareCommit", "PrepareAbort")
UNHEARD = ""


class TransactionLooks(Looks):
    """Who coordinates others gives no row.

    What was decided when it was last looked at is looked at once more in the end, until it is
    complete: whether it ever is nobody could tell otherwise. So is what nobody has said anything
    of, as its coordinator had just changed each time.
    """

    def __init__(self, cluster: Cluster, record: RunRecord) -> None:
        super().__init__("transactions", cluster, record)
        self._names: tuple[str, ...] = ()  # replaced, never changed
        self._said: dict[str, str] = {}  # of each transactional id its state, when last heard

    def watch(self, transactional_id: str) -> None:
        """Ask about this one from now on."""
        with self._lock:
            if transactional_id not in self._names:
                self._names = (*self._names, transactional_id)
                self._look_from_now_on()

    def _whom(self) -> Sequence[int]:
        return self._cluster.coordinators if self._cluster.kafka.describes_transactions else ()

    def _look_last(self) -> None:
        until_s = time.monotonic() + LAST_S
        while self._awaits() and left_s(until_s - time.monotonic()) > 0:
            self._glance()
            threading.Event().wait(PAUSE_S)

    def _awaits(self) -> bool:
        """Whether something was decided, and not yet complete, when last looked at, or not seen."""
        if not self._whom():  # nobody can be asked
            return False
        return any(self._said.get(name, UNHEARD) in {*DECIDED, UNHEARD} for name in self._names)

    def _ask(self, broker: int, wire: Wire) -> None:
        found = describe_transactions(wire, self._names)
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
