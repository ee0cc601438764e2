"""A load of another library in transactions: each has so many records, over all partitions."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Mapping
from queue import Empty

from highwater.adapters.foreign.sending import Sending
from highwater.adapters.foreign.transaction import Transaction
from highwater.adapters.pace import TICK_S, Due, Teller, portions
from highwater.adapters.spread import Spread
from highwater.harness.errors import InfrastructureError
from highwater.harness.foreign.lines import ABORT, BEGIN, COMMIT, RETRY, Event
from highwater.harness.foreign.outcomes import in_words
from highwater.harness.foreign.talk import Talk
from highwater.harness.model import Outcome

RETRIED_S = 30.0  # how long a step is told again, from its first answer on
PAUSE_S = 0.1  # before that
LOOK_S = 0.05
LANDING_S = 10.0  # who is told to stop has to end yet after that


class CannotGoOnError(InfrastructureError):
    """Its producer is of no use any more: nobody can tell what became of what was open."""


class GoneError(Exception):
    """The adapter is gone, or is not to be waited for: whoever waits for its end says why."""


class InTransactions:
    """One transaction after the other, of `records` each; every `abort_every`-th is aborted.

    Where its library demands that a transaction be aborted it is, and the next one begins. Which
    step comes next, and what has become of the records, is decided here and in no adapter.
    """

    def __init__(
        self,
        talk: Talk,
        sending: Sending,
        spread: Spread,
        teller: Teller,
        wanted: Mapping[str, int | None],
    ) -> None:
        self._talk, self._sending = talk, sending
        self._transaction: Transaction = sending.transaction or _none()
        self._spread, self._teller = spread, teller
        self._is_unconfirmed = False  # whether the commit of the open one may have been done
        self._records, self._abort_every = wanted["records"] or 1, wanted["abort_every"]

    def send(self, due: Due) -> None:
        """Until told to stop, which is heeded between two transactions, or earlier in one.

        Raises CannotGoOnError for a producer that can do nothing more.
        """
        for number in itertools.count(1):
            if self._stops():
                break
            try:
                aborts = bool(self._abort_every and not number % self._abort_every)
                self._transact(due, aborts=aborts)
            except GoneError:
                break
            except CannotGoOnError as error:
                self._transaction.end(Outcome.UNKNOWN, str(error))
                raise
            self._teller.look()
        if self._talk.rules.fatal:
            self._transaction.end(Outcome.UNKNOWN, self._talk.rules.fatal)

    def _stops(self) -> bool:
        return self._teller.is_stopping or self._is_over

    @property
    def _is_over(self) -> bool:
        return self._talk.is_over or bool(self._talk.rules.fatal)

    def _transact(self, due: Due, *, aborts: bool) -> None:
        self._transaction.begin()
        self._is_unconfirmed = False
        self._require(BEGIN)
        if self._fill(due):
            if not aborts and self._commits():
                return
            if aborts:
                self._land()
        self._require(ABORT)
        if self._is_unconfirmed:
            why = "the transaction was aborted, and may have been committed before"
            self._transaction.end(Outcome.UNKNOWN, why)
        else:
            self._transaction.end(Outcome.FAILED, "the transaction was aborted")

    def _fill(self, due: Due) -> bool:
        """Send the records of one transaction; False: one has failed, so that it cannot stand."""
        for some in portions(self._records, len(self._spread), due, self._stops):
            if some:
                self._sending.send(self._talk, self._spread.next(), some, due.take(some))
            else:
                threading.Event().wait(TICK_S)
            self._teller.look()
            if self._transaction.has_failed:
                return False
        return True

    def _land(self) -> None:
        """Wait until its library has said something of each record, at most for a while.

        What was never in the log shows nobody that readers leave it out; and librdkafka takes the
        answer to an abort for fatal when a coordinator has not yet accepted the transaction's
        partitions (its issue 4849).
        """
        until_s = time.monotonic() + LANDING_S
        while not (self._transaction.has_landed or self._is_over or time.monotonic() >= until_s):
            threading.Event().wait(TICK_S)
            self._teller.look()

    def _commits(self) -> bool:
        """Whether it did; False: its library demands that the transaction be aborted."""
        answer = self._answer(COMMIT)
        if answer["error"] is None:
            self._transaction.end(Outcome.OK, "")
            return True
        if answer["demands"] != ABORT:
            raise CannotGoOnError(_told(answer))
        self._teller.complain(f"its transaction is aborted: {in_words(answer)}")
        return False

    def _require(self, step: str) -> None:
        answer = self._answer(step)
        if answer["error"] is not None:
            raise CannotGoOnError(_told(answer))

    def _answer(self, step: str) -> Event:
        """To a step; what its library says can be tried again is, for a while."""
        until_s = None
        while True:
            answer = self._ask(step)
            self._is_unconfirmed |= step == COMMIT and answer["unconfirmed"]
            until_s = until_s or time.monotonic() + RETRIED_S
            if answer["demands"] != RETRY or time.monotonic() >= until_s:
                return answer
            threading.Event().wait(PAUSE_S)

    def _ask(self, step: str) -> Event:
        """However long it takes: a client may be frozen, and who never answers is judged."""
        self._talk.say({"do": "transaction", "step": step})
        while True:
            try:
                return self._transaction.answers.get(timeout=LOOK_S)
            except Empty:
                self._teller.look()
            if self._is_over:
                raise GoneError


def _none() -> Transaction:
    raise ValueError("expected a load with transactions")


def _told(answer: Event) -> str:
    return f"{answer['step']} of a transaction was answered by {in_words(answer)}"
