"""Sends of a client that was told to flush afterwards, and how far they had got when it had."""

from __future__ import annotations

import numpy as np

from highwater.checkers.flushes import Flushed
from highwater.checkers.parts import SEND, Values
from highwater.checkers.rows import LAST, NONE, Bools, Ints


def in_transactions(part: Values) -> Bools:
    """Sends of which the end that is told is that of their transaction."""
    found: Bools = part.known("transaction") | part.of_clients(lambda one: bool(one.transactional))
    return found


class ToBeFlushed:
    """`rows` of a part that are such sends of one client; of each of them whether nobody told when
    it ended (`untold`), a clock was set back (`unsure`), it ended later with its transaction
    (`within`), the flush `failed`, or it is `wrong`: the client said that it has flushed before the
    send had ended.
    """

    def __init__(self, part: Values, client: str, flushed: Flushed) -> None:
        self._part = part
        sends = part.is_kind(SEND) & part.is_word("client", client)
        rows = np.flatnonzero(sends & (part.open | ~part.is_word("outcome", "invoked")))
        first = flushed.after(part["invoked_ns"][rows])
        is_asked = first < len(flushed.asked_ns)
        self.rows, first = rows[is_asked], first[is_asked]
        is_open, ended_ns = part.open[self.rows], part.ended_ns[self.rows]
        backwards = part.ran_backwards[self.rows] & ~is_open
        self._ends_ns = flushed.ends_ns[first]
        self.untold = ~is_open & (ended_ns == NONE)
        late = self._ends_ns < np.where(is_open, LAST, ended_ns)
        late &= ~self.untold & ~backwards
        self.within = late & in_transactions(part)[self.rows]
        self.wrong = late & ~self.within
        self.unsure = backwards | (flushed.doubtful[first] & ~late & ~self.untold)
        self.failed = flushed.failed[first]

    def mask(self, chosen: Bools) -> Bools:
        """Of all rows of the part."""
        found = np.zeros(len(self._part.open), bool)
        found[self.rows[chosen]] = True
        return found

    @property
    def flushed_ns(self) -> Ints:
        """For all rows of the part: the earliest end of a flush that was asked for later."""
        found = np.full(len(self._part.open), NONE)
        found[self.rows] = self._ends_ns
        return found

    @property
    def ended_ns(self) -> Ints:
        """The same of sends; NONE of one that never ended."""
        return np.where(self._part.open, NONE, self._part.ended_ns)
