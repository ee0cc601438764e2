"""When records are due, and how far a producer has got with them."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from dataclasses import dataclass, field

import numpy as np

from highwater.adapters.dialogue import PROGRESS_INTERVAL_S, Dialogue, Order
from highwater.harness.record.sends import Numbers
from highwater.harness.workloads.tally import Tally

TICK_S = 0.005
YIELD_S = 0.5  # what was said while it was frozen is heard by then
AT_ONCE = 1000  # records of one tick, for one partition: Kafka's own producer sticks to one as well


@dataclass(slots=True)
class Gap:
    """The longest time in which nothing was acknowledged, from the beginning of sending on."""

    acked: int = 0
    since_ns: int = field(default_factory=time.monotonic_ns)
    longest_ns: int = 0

    def look(self, acked: int) -> None:
        now_ns = time.monotonic_ns()
        self.longest_ns = max(self.longest_ns, now_ns - self.since_ns)
        if acked > self.acked:
            self.acked, self.since_ns = acked, now_ns


class Due:
    """How many records are due by a moment, and when each was; without a rate as many as may be.

    With `unanswered` no more than so many are on their way: a closed loop.
    """

    def __init__(self, rate_per_s: float | None, unanswered: int | None = None) -> None:
        self._rate_per_s = rate_per_s
        self._unanswered = unanswered
        self._began_s = time.monotonic()
        self._sent = 0

    def by(self, now_s: float, ended: int = 0) -> int:
        """`ended` are those of which the outcome is known."""
        due = AT_ONCE
        if self._rate_per_s is not None:
            due = int(self._rate_per_s * (now_s - self._began_s)) - self._sent
        if self._unanswered is None:
            return due
        return min(due, self._unanswered - (self._sent - ended))

    def take(self, count: int) -> Numbers | None:
        """When each of the next ones was due, in nanoseconds."""
        first, self._sent = self._sent, self._sent + count
        if self._rate_per_s is None:
            return None
        numbers = np.arange(first + 1, first + count + 1)
        due_ns = self._began_s * 1e9 + numbers * (1e9 / self._rate_per_s)
        return due_ns.astype(np.int64)


def portions(
    records: int, partitions: int, due: Due, is_over: Callable[[], bool]
) -> Generator[int]:
    """How many of the records of a transaction to send next, until it has all of them.

    0 where none is due yet. Each partition gets a share, so that there is one for each of them.
    """
    left, share = records, min(AT_ONCE, -(-records // partitions))
    while left and not is_over():
        some = max(0, min(left, share, due.by(time.monotonic())))
        left -= some
        yield some


class Teller:
    """Tells the harness ten times a second what has been acknowledged, and the longest gap."""

    def __init__(self, order: Order, dialogue: Dialogue, tally: Tally) -> None:
        self._dialogue = dialogue
        self._tally = tally
        since_ns = order.get("gap_since_ns")  # of the process that it follows
        self._gap = Gap() if since_ns is None else Gap(since_ns=since_ns)
        self._told_s = time.monotonic()

    @property
    def is_stopping(self) -> bool:
        """Whether the harness has said that nothing more is to be sent."""
        return self._dialogue.stopping.is_set()

    def has_to_yield(self) -> bool:
        """Whether another process has taken its transactional.id; who was frozen hears it late."""
        return self._dialogue.yielding.wait(YIELD_S)

    def look(self) -> None:
        """To be called all the time."""
        self._gap.look(self._tally.acked)
        if time.monotonic() - self._told_s >= PROGRESS_INTERVAL_S:
            self.tell()

    def complain(self, text: str) -> None:
        """Something went wrong, and it goes on."""
        self._dialogue.say("complaint", text=text)

    def tell(self) -> None:
        self._told_s = time.monotonic()
        self._dialogue.say(
            "progress",
            acked=self._tally.acked,
            failed=self._tally.failed,
            unknown=self._tally.unknown,
            longest_gap_s=self._gap.longest_ns / 1e9,
            gap_since_ns=self._gap.since_ns,
        )
