"""Producers with transactional ids, by hand: each request once, and late where a schedule says so.

They do what a client library does, and never more: who does not know what became of a record
aborts, and who has no answer to the end of a transaction begins anew.
"""

from __future__ import annotations

import time
from contextlib import closing, suppress
from dataclasses import dataclass
from enum import StrEnum

from highwater.exploration.asking import AGAIN_S, PATIENCE_S, Asking, is_not_now, patiently
from highwater.exploration.cargo import Cargo, Positions, Records, is_v2
from highwater.exploration.committers import Committer
from highwater.exploration.errands import Errands
from highwater.harness.errors import ENVIRONMENT, DeadlineError
from highwater.harness.model import Outcome, TopicPartition
from highwater.harness.play import Play
from highwater.harness.probes.transacting import begin_anew, end_transaction
from highwater.harness.probes.transactions import Identity
from highwater.harness.probes.wire import AnswerError, Wire
from highwater.harness.wait import wait_until
from highwater.harness.workloads.requests import Producing

TIMEOUT_MS = 10_000  # transaction.timeout.ms


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


class Transactor(Errands):
    """One transactional id, of its topic alone; one request of it is under way at a time."""

    def __init__(
        self, play: Play, where: TopicPartition, number: int, group: Committer | None = None
    ) -> None:
        """It sends records to a partition or, of a `group`, the next positions in it."""
        super().__init__(play, f"transactor-{number}")
        self.standing = Standing.NEW
        self.late: Late | None = None
        self.has_closed = False  # another one of this id has begun, when all was healed
        self.is_over = False  # the transaction that the late request is of
        own = where if group is None else group.where  # of this schedule alone
        self._id = f"{own.topic}-{number}"
        self._v2 = is_v2(play)
        self.cargo: Cargo = (
            Records(play, where, self.name, self._id)
            if group is None
            else Positions(play, group, self._id)
        )
        self.asking = Asking(play.cluster, self._id)
        self._owner = Identity(-1, -1)
        self._sequence = 0
        self._has_partition = False
        self._transaction = 0
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

    def __str__(self) -> str:
        words = [str(self.standing), "busy" if self.is_busy else ""]
        words.append(("late" if not self.is_over else "too late") if self.late else "")
        return " ".join(filter(None, words))

    # -- what a schedule has it do; each returns at once

    def claim(self) -> None:
        """Begin anew: whatever the one before has left open is aborted, and it is fenced."""
        self.begin(self._claim)

    def write(self, records: int) -> None:
        """Send records in the transaction that is open, or in a new one."""
        self.begin(lambda: self._write(records, is_late=False))

    def write_late(self, records: int) -> None:
        """The same, but the request is under way until `arrive`, and is waited for no more."""
        self.begin(lambda: self._write(records, is_late=True))

    def arrive(self) -> None:
        """What is under way comes to its broker."""
        late, self.late = self.late, None
        if late is not None:
            self.begin(lambda: self._produce(late))

    def end(self, *, commit: bool) -> None:
        """Ask for the end of the transaction."""
        self.begin(lambda: self._end(commit=commit))

    def close(self, timeout_s: float) -> None:
        """What is under way is lost, and what is open is aborted by another one of this id.

        Nothing is judged of one whose request has not ended, or that could not begin anew.
        """
        self.late = None
        deadline_s = time.monotonic() + timeout_s
        self.wait(timeout_s)
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

    # -- one request after the other

    def _claim(self) -> None:
        self._owner = self.asking.coordinator(lambda wire: begin_anew(wire, self._id, TIMEOUT_MS))
        if self.cargo.is_open:
            self.cargo.settle(
                Outcome.FAILED, "the next producer of its id has aborted its transaction"
            )
        self._goes_on(Standing.READY)
        self._sequence = 0

    def _write(self, records: int, *, is_late: bool) -> None:
        if self.standing is Standing.READY:
            self._transaction += 1
        if not self._v2 and not self._has_partition:
            self._add_partition()
        leader = self.play.cluster.metadata.partition(self.cargo.where).leader
        if leader < 0:
            return
        producing = Producing(*self._owner, self._sequence, self._id)
        request = self.cargo.next(records, self._transaction, producing)
        sent = Late(self.play.cluster.address(leader), *request)
        self._sequence += records
        self.standing = Standing.BROKEN
        if is_late:
            self.late, self.is_over = sent, False
        elif self._produce(sent):
            self.standing = Standing.OPEN

    def _add_partition(self) -> None:
        standing, self.standing = self.standing, Standing.BROKEN
        try:
            self.asking.coordinator(lambda wire: self.cargo.join(wire, self._owner))
        except AnswerError as error:
            self._refused(error, standing)
            raise
        self._has_partition, self.standing = True, Standing.OPEN

    def _refused(self, error: AnswerError, standing: Standing) -> None:
        """It stands as before where it may ask again, and has to begin anew where it is fenced."""
        self.standing = standing
        if not is_not_now(error):
            self.cargo.settle(Outcome.FAILED, "its transaction was aborted by others")
            self._goes_on(Standing.NEW)

    def _produce(self, sent: Late) -> bool:
        """Whether it was acknowledged."""

        def ask() -> None:
            code = self.cargo.code(wire.ask(self.cargo.api, sent.version, sent.body))
            if code:
                raise AnswerError(f"what {self.name} sends", code)

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
            self.cargo.settle(Outcome.UNKNOWN if commit else Outcome.FAILED, told)
            raise
        self.cargo.settle(Outcome.OK if commit else Outcome.FAILED, "the transaction was aborted")
        self._goes_on(Standing.READY if is_known or raises else Standing.NEW)
        if raises:
            self._sequence = 0

    def _goes_on(self, standing: Standing) -> None:
        self.standing, self._has_partition, self.is_over = standing, False, True
