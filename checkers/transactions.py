"""Transactions that a reading may have had to wait for, as far as sends tell of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from highwater.checkers.facts import Reading
from highwater.checkers.parts import SEND, Values
from highwater.checkers.rows import LAST, NONE, Bools

MARKED_NS = 1_000_000_000  # a marker that is not written by then is missing
NOBODY: frozenset[str | None] = frozenset()


@dataclass(frozen=True, slots=True)
class Wait:
    """What the sends of a part tell of transactions that a reading may have waited for.

    `is_open` is whether nobody knew how one had ended. Others had ended, and may not have had their
    markers: `senders` are those with a record at the very offset that the reading got to, and
    `is_somewhere` is whether there are some of which nobody told where their records stand.
    `is_taken` is whether another record is known to stand at that offset, and `below` has who sent
    the record directly below it.
    """

    is_open: bool = False
    is_somewhere: bool = False
    is_taken: bool = False
    senders: frozenset[str | None] = NOBODY
    below: frozenset[str | None] = NOBODY


def has_to_wait(waits: Iterable[Wait]) -> bool:
    """What all parts tell of one reading.

    A reader of committed records gets to the last stable offset, which is that of the first record
    of a transaction. That of the same producer directly below it would be one of that transaction:
    else the marker of its own would stand between them.
    """
    every = list(waits)
    if any(one.is_open for one in every):
        return True
    if any(one.is_somewhere for one in every) and not any(one.is_taken for one in every):
        return True
    senders, below = (
        NOBODY.union(*(getattr(one, name) for one in every)) for name in ("senders", "below")
    )
    return bool(senders - below)


class Sent:
    """What a reading may have waited for: attempt by attempt, when it was sent, and how it ended.

    Readers of committed records wait for the end of a transaction, and for its marker, which is
    written when the end has been confirmed (TransactionCoordinator.endTransaction). Sends of
    producers that are known to have none are left out, and for markers those with acks=1 or acks=0,
    with which there is none.
    """

    def __init__(self, part: Values) -> None:
        self._part, groups = part, part.by_value_here
        sends = part.is_kind(SEND) & (~part.is_word("outcome", "invoked") | part.open)
        self._rows = rows = np.flatnonzero(sends)
        is_ended = part.is_word("outcome", "ok", "failed")
        alone = (groups.count(sends) == 1) & groups.have(part.polled)
        shown = groups.least(part.ended_ns, part.polled_as_committed & ~part.ran_backwards)
        shown = groups.spread(np.where(alone, shown, NONE))  # whose transaction has been committed
        ended_ns = np.where(is_ended & ~part.ran_backwards, part["completed_ns"], shown)
        self._begun, self._known = part["invoked_ns"][rows], ended_ns[rows]
        self._shown = np.where(shown == NONE, LAST, shown)[rows]
        handed = np.where(alone, groups.largest(part["offset"], part.polled), NONE)
        lies = np.where(part["offset"] >= 0, part["offset"], groups.spread(handed))
        self._lies = lies[rows]  # below 0 where nobody knows it
        self._alone = groups.spread(alone)[rows]
        is_plain = part.of_clients(lambda client: client.transactional is False)
        self._is_plain = is_plain[rows]
        self._is_due = (is_ended & ~is_plain & ~part.is_word("acks", "0", "1"))[rows]
        self._told = np.where(part.is_word("outcome", "ok"), part["offset"], NONE)[rows]

    def wait(self, reading: Reading) -> Wait:
        """Of sends that had begun before it ended.

        One that got to an end was told the last stable offset: only what may stand there counts.
        One that stood still for long after an end was confirmed waits for no marker of it.
        """
        if reading.client in self._part.facts.promises.uncommitted:
            return Wait()
        if reading.completed_ns is None:
            return Wait(is_open=True)
        here = self._of(reading)
        begun = here & (self._begun <= reading.completed_ns) & ~self._is_plain
        at = (self._lies == reading.offset) | self._has_a_copy(reading)
        nowhere = self._lies < 0
        is_open = begun & ((self._known == NONE) | (self._known >= reading.invoked_ns))
        due = begun & self._is_due & (self._shown >= reading.invoked_ns)
        if reading.action == "end":
            is_open &= at | nowhere
        else:
            due &= self._known > reading.completed_ns - MARKED_NS
        offset = NONE if reading.offset is None else reading.offset
        return Wait(
            is_open=bool(is_open.any()),
            is_somewhere=bool((due & nowhere).any()),
            is_taken=self._is_taken(reading, here, due & nowhere),
            senders=self._senders(due & at),
            below=self._senders(here & (self._told == offset - 1)) if offset > 0 else NOBODY,
        )

    def _has_a_copy(self, reading: Reading) -> Bools:
        """Which of what was sent once was handed out there, wherever it was told to stand."""
        part = self._part
        polls = part.polled & (part["offset"] == reading.offset) & self._is_place(reading)
        found: Bools = self._alone & part.by_value_here.anywhere(polls)[self._rows]
        return found

    def _is_taken(self, reading: Reading, here: Bools, nowhere: Bools) -> bool:
        """By a record of which it was told, or one handed out that is of none of these sends."""
        if (here & (self._told == reading.offset)).any():
            return True
        part, theirs = self._part, np.zeros(len(self._part["offset"]), bool)
        theirs[self._rows[nowhere]] = True
        polls = part.polled & (part["offset"] == reading.offset) & self._is_place(reading)
        return bool((polls & ~part.by_value_here.anywhere(theirs)).any())

    def _senders(self, which: Bools) -> frozenset[str | None]:
        codes = np.unique(self._part["client"][self._rows[which]], return_index=True)[1]
        return frozenset(self._part.text("client", self._rows[which][one]) for one in codes)

    def _of(self, reading: Reading) -> Bools:
        return self._is_place(reading)[self._rows]

    def _is_place(self, reading: Reading) -> Bools:
        is_place = np.array([place == reading.place for place in self._part.places])
        here: Bools = is_place[self._part["place"]]
        return here
