"""Producers with transactional ids, by hand: each request once, and late where a schedule says so.

They do what a client library does, and never more: who does not know what became of a record
aborts, and who has no answer to the end of a transaction begins anew.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass, field
from enum import StrEnum

from highwater.exploration.asking import AGAIN_S, PATIENCE_S, Asking, is_not_now, patiently
from highwater.harness.errors import ENVIRONMENT, DeadlineError
from highwater.harness.gate.headers import PRODUCE
from highwater.harness.model import Outcome, TopicPartition
from highwater.harness.play import Play
from highwater.harness.probes.transacting import (
    add_partition,
    begin_anew,
    end_transaction,
)
from highwater.harness.probes.transactions import Identity
from highwater.harness.probes.wire import AnswerError, Wire
from highwater.harness.record.sends import NO_OFFSET, Sends
from highwater.harness.wait import wait_until
from highwater.harness.workloads.requests import (
    CURRENT,
    ENCODE,
    Acks,
    Producing,
    produce_body,
    read_produced,
    record_batch,
)

TIMEOUT_MS = 10_000  # transaction.timeout.ms
WITHOUT_PARTITIONS = 12  # the version of Produce that transactions v2 begin with


class Standing(StrEnum):
    """Where a producer stands, by what it was answered."""

    NEW = "new"  # it has no identity, or may not go on with the one that it has
    READY = "ready"
    OPEN = "open"
    BROKEN = "broken"  # what became of a record of its transaction it does not know
    DOUBT = "doubt"  # whether its transaction was ended nobody has told it


@dataclass(frozen=True, slots=True)
class Late:
    """A request that is still under way, to the broker that led when it was sent."""

    address: str
    body: bytes
    version: int


@dataclass(slots=True)
class Values:
    """What was sent, by what may be read of it in the end; what is in neither set may be or not.

    Of a transaction of which nobody has said how it ended all may be, or nothing: `doubtful`.
    """

    sent: set[int] = field(default_factory=set)
    committed: set[int] = field(default_factory=set)
    aborted: set[int] = field(default_factory=set)
    doubtful: list[frozenset[int]] = field(default_factory=list)


class Transactor:
    """One transactional id, of its topic alone; one request of it is under way at a time."""

    def __init__(self, play: Play, where: TopicPartition, number: int) -> None:
        self.name = f"transactor-{number}"
        self.standing = Standing.NEW
        self.values = Values()
        self.late: Late | None = None
        self.has_closed = False  # another one of this id has begun, when all was healed
        self.is_over = False  # the transaction that the late request is of
        self._id = f"{where.topic}-{number}"
        self._play, self._where = play, where
        self._v2 = play.cluster.kafka.kraft and play.cluster.kafka.at_least("4.0")  # KIP-890
        self.asking = Asking(play.cluster, self._id)
        self._owner = Identity(-1, -1)
        self._sequence = 0
        self._has_partition = False
        self._transaction = 0
        self._open: list[Sends] = []
        self._thread: threading.Thread | None = None
        play.record.history.promised(
            self.name,
            "producer",
            acks="all",
            idempotence=True,
            keeps_order=False,
            transactional_id=self._id,
            transaction_timeout_ms=TIMEOUT_MS,
        )
        play.scene.transacts(self._id)

    @property
    def is_stuck(self) -> bool:
        """It is told that a transaction is not complete, still."""
        return not self.has_closed and self.asking.refused == "CONCURRENT_TRANSACTIONS"

    @property
    def is_busy(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def __str__(self) -> str:
        words = [str(self.standing), "busy" if self.is_busy else ""]
        words.append(("late" if not self.is_over else "too late") if self.late else "")
        return " ".join(filter(None, words))

    # -- what a schedule has it do; each returns at once

    def claim(self) -> None:
        """Begin anew: whatever the one before has left open is aborted, and it is fenced."""
        self._begin(self._claim)

    def write(self, records: int) -> None:
        """Send records in the transaction that is open, or in a new one."""
        self._begin(lambda: self._write(records, is_late=False))

    def write_late(self, records: int) -> None:
        """The same, but the request is under way until `arrive`, and is waited for no more."""
        self._begin(lambda: self._write(records, is_late=True))

    def arrive(self) -> None:
        """What is under way comes to its broker."""
        late, self.late = self.late, None
        if late is not None:
            self._begin(lambda: self._produce(late))

    def end(self, *, commit: bool) -> None:
        """Ask for the end of the transaction."""
        self._begin(lambda: self._end(commit=commit))

    def close(self, timeout_s: float) -> None:
        """What is under way is lost, and what is open is aborted by another one of this id.

        Nothing is judged of one whose request has not ended, or that could not begin anew.
        """
        self.late = None
        deadline_s = time.monotonic() + timeout_s
        if self._thread is not None:
            self._thread.join(timeout_s)
        if self.is_busy:
            return
        still_s = deadline_s - time.monotonic()
        with suppress(DeadlineError):  # it could not begin anew: `has_closed` says so
            told = f"another {self.name} to begin"
            self.has_closed = wait_until(self._has_claimed, told, still_s, interval_s=AGAIN_S)

    def unblock(self) -> None:
        """Abort one more transaction: its marker ends whatever this id has left in the log.

        Nobody could read to the end otherwise. What is refused is left as it is.
        """
        if self.standing is not Standing.READY:
            return
        with suppress(*ENVIRONMENT):
            self._write(1, is_late=False)
        with suppress(*ENVIRONMENT):
            self._end(commit=False)

    def _has_claimed(self) -> bool:
        self.standing = Standing.NEW
        try:
            self._claim()
        except ENVIRONMENT:
            return False
        return True

    # -- one request after the other, in a thread

    def _begin(self, work: Callable[[], object]) -> None:
        def run() -> None:
            try:
                work()
            except ENVIRONMENT as error:
                self._play.note(f"{self.name}: {error}")

        self._thread = threading.Thread(target=run, name=self.name, daemon=True)
        self._thread.start()

    def _claim(self) -> None:
        self._owner = self.asking.coordinator(lambda wire: begin_anew(wire, self._id, TIMEOUT_MS))
        if self._open:
            self._ended(Outcome.FAILED, "the next producer of its id has aborted its transaction")
        self._goes_on(Standing.READY)
        self._sequence = 0

    def _write(self, records: int, *, is_late: bool) -> None:
        if self.standing is Standing.READY:
            self._transaction += 1
        if not self._v2 and not self._has_partition:
            self._add_partition()
        leader = self._play.cluster.metadata.partition(self._where).leader
        if leader < 0:
            return
        sent = Late(self._play.cluster.address(leader), *self._encoded(self._invoked(records)))
        self._sequence += records
        self.standing = Standing.BROKEN
        if is_late:
            self.late, self.is_over = sent, False
        elif self._produce(sent):
            self.standing = Standing.OPEN

    def _add_partition(self) -> None:
        standing, self.standing = self.standing, Standing.BROKEN
        try:
            self.asking.coordinator(
                lambda wire: add_partition(wire, self._id, self._owner, self._where)
            )
        except AnswerError as error:
            self._refused(error, standing)
            raise
        self._has_partition, self.standing = True, Standing.OPEN

    def _refused(self, error: AnswerError, standing: Standing) -> None:
        """It stands as before where it may ask again, and has to begin anew where it is fenced."""
        self.standing = standing
        if not is_not_now(error):
            self._ended(Outcome.FAILED, "its transaction was aborted by others")
            self._goes_on(Standing.NEW)

    def _invoked(self, records: int) -> Sends:
        values = self._play.scene.identities(self._where, records)
        sends = self._play.record.history.sends(self.name, self._where, "all", values)
        sends.within(self._transaction)
        sends.invoke(values, [ENCODE(each)[1] for each in values])
        self._open.append(sends)
        self.values.sent.update(values)
        return sends

    def _encoded(self, sends: Sends) -> tuple[bytes, int]:
        """The body of its request, and the version of that."""
        version = WITHOUT_PARTITIONS if self._v2 else CURRENT
        producing = Producing(*self._owner, self._sequence, self._id)
        contents = [ENCODE(each)[0] for each in sends.values]
        batch = record_batch(contents, int(time.time() * 1000), producing)
        return produce_body(self._where, batch, Acks.ALL, self._id, version), version

    def _produce(self, sent: Late) -> bool:
        """Whether it was acknowledged."""

        def ask() -> None:
            code, _ = read_produced(wire.ask(PRODUCE, sent.version, sent.body))
            if code:
                raise AnswerError(f"a record of {self.name}", code)

        with closing(Wire.at(sent.address, PATIENCE_S)) as wire:
            patiently(ask)
        return True

    def _end(self, *, commit: bool) -> None:
        is_known = self.standing is Standing.OPEN
        self.standing = Standing.DOUBT
        raises = self._v2
        try:
            self._owner = self.asking.coordinator(
                lambda wire: end_transaction(
                    wire, self._id, self._owner, commit=commit, raises_epoch=raises
                )
            )
        except ENVIRONMENT as error:
            told = f"nobody has confirmed the end of its transaction: {error}"
            self._ended(Outcome.UNKNOWN if commit else Outcome.FAILED, told)
            raise
        self._ended(Outcome.OK if commit else Outcome.FAILED, "the transaction was aborted")
        self._goes_on(Standing.READY if is_known or raises else Standing.NEW)
        if raises:
            self._sequence = 0

    def _ended(self, outcome: Outcome, told: str) -> None:
        for sends in self._open:
            for value in sends.values:
                if outcome is Outcome.OK:
                    sends.acknowledged(value, NO_OFFSET)
                    self.values.committed.add(value)
                else:
                    sends.ended(value, outcome, told)
        values = [value for sends in self._open for value in sends.values]
        if outcome is Outcome.FAILED:
            self.values.aborted.update(values)
        if outcome is Outcome.UNKNOWN:
            self.values.doubtful.append(frozenset(values))
        self._open.clear()

    def _goes_on(self, standing: Standing) -> None:
        self.standing, self._has_partition, self.is_over = standing, False, True
