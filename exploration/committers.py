"""A group of a schedule, whose positions are committed by hand, one request at a time.

A group commits one position after the other, each higher than the last one, as one does that reads
on. What a coordinator confirms all its successors know.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable

from highwater.exploration.asking import Asking
from highwater.exploration.errands import Errands
from highwater.harness.clients.standalone import Standalone
from highwater.harness.errors import ENVIRONMENT, UsageError, in_words
from highwater.harness.model import Outcome, TopicPartition
from highwater.harness.play import Play
from highwater.harness.probes.coordinators import find_coordinator
from highwater.harness.probes.positions import commit_position, group_position
from highwater.harness.probes.wire import Wire

KEPT_S = 24 * 3600
STABLE_SINCE = "2.5"  # a coordinator is asked to wait for transactions that are open (KIP-447)
NUMBER = "[1-9][0-9]{0,8}"  # of a group, or of a producer
NOTHING = -1  # as a coordinator says that it knows of no position


def require_number(what: str, number: int) -> None:
    """Raises UsageError for one that the log of positions would not be read by."""
    if not re.fullmatch(NUMBER, str(number)):
        raise UsageError(f"expected a {what} from 1 on, of nine digits at most, saw {number}")


class Committer(Errands):
    """One group, by its number."""

    def __init__(self, play: Play, where: TopicPartition, number: int) -> None:
        super().__init__(play, f"group-{number}")
        self.number, self.where = number, where
        self.group = f"{where.topic}-{number}"
        self.asked = 0  # the highest position so far
        self.confirmed: set[int] = set()
        self.went_back: list[str] = []  # which positions were confirmed after a higher one
        self.told: int | None = None  # by the coordinator, in the end
        self.is_undecided = False  # how its producer's last transaction ends, when all was healed
        self.asking = Asking(play.cluster, self.group, find=find_coordinator)
        self._in_transactions = False

    def next_position(self) -> int:
        """One that nobody else of the group commits."""
        self.asked += 1
        return self.asked

    def commit(self) -> None:
        """The next position, as a group without members; returns at once."""
        position = self.next_position()
        self.begin(lambda: self._commit(position))

    def send(self, position: int, client: str, ask: Callable[[], None]) -> None:
        """Have a position committed; what the coordinator said is known, and on the record."""
        highest = max(self.confirmed, default=NOTHING)
        error = self._kept(client).commit(position, ask)
        if error is not None:
            self.play.note(f"{client}: {error}")
            return
        if position < highest:
            self.went_back.append(
                f"{client} was confirmed {position}, and {highest} was confirmed before"
            )
        self.confirmed.add(position)

    def within(self, transaction: int) -> tuple[int, Callable[[Outcome, str], None]]:
        """The next position, and what is to be called when that transaction has ended."""
        self._in_transactions = True
        position, began_ns = self.next_position(), time.monotonic_ns()
        kept = self._kept(self.name)
        kept.settle(position, began_ns, (Outcome.INVOKED, None), transaction)

        def ended(outcome: Outcome, told: str) -> None:
            kept.settle(position, began_ns, (outcome, told), transaction)
            if outcome is Outcome.OK:
                self.confirmed.add(position)

        return position, ended

    def learn(self) -> None:
        """What the coordinator tells when the last answer is there; nothing where it is not.

        A commit that is under way still may be confirmed after the question: nobody can tell then.
        Nor where the markers of a transaction may be due: before 2.5 no coordinator waits for them.
        """
        self.told = None
        if self.is_busy or (self._in_transactions and self.is_undecided):
            return
        try:
            self.told = self.asking.coordinator(self._fetch)
        except ENVIRONMENT as error:
            self.play.note(f"{self.name}: {in_words(error)}")

    def succeed(self) -> None:
        """Commit what the coordinator tells, as whoever takes a group over begins there.

        Where none is told that is the beginning of the log.
        """
        if self.told is not None:
            self._commit(max(self.told, 0))

    def _kept(self, client: str) -> Standalone:
        return Standalone(self.play.record, self.group, client, self.where)

    def _fetch(self, wire: Wire) -> int:
        knows = self.play.cluster.kafka.at_least(STABLE_SINCE)
        is_stable = self._in_transactions and knows
        told = group_position(wire, self.group, self.where, is_stable=is_stable)
        return NOTHING if told is None else told

    def _commit(self, position: int) -> None:
        def ask(wire: Wire) -> None:
            commit_position(wire, self.group, self.where, position, kept_s=KEPT_S)

        self.send(position, self.name, lambda: self.asking.coordinator(ask))
