"""What a group's position was at any moment: which commits had been confirmed by then."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from highwater.checkers.groups import Place, by_group, is_open
from highwater.checkers.rows import LAST, NONE, Ints, Rows, groups, numbered


class Standing(NamedTuple):
    """For each of some moments, what the group's position may have been.

    `least` and `most` are of what had been confirmed and may have been the last: NONE, where there
    was nothing. `lowest` is of what may have come after that, LAST where there was nothing.
    """

    least: Ints
    most: Ints
    lowest: Ints


class Done(NamedTuple):
    """What members of a group told that they had finished with, and when."""

    first: Ints
    end: Ints
    at_ns: Ints

    @classmethod
    def of(cls, processed: Rows) -> Done:
        return cls(*(processed[name] for name in ("first_offset", "end_offset", "completed_ns")))

    def within(self, offset: int, since_ns: int, before_ns: int) -> bool:
        """Whether they had finished with this one, neither earlier than this nor at that moment."""
        here = (self.first <= offset) & (offset < self.end)
        return bool((here & (self.at_ns >= since_ns) & (self.at_ns < before_ns)).any())


NOTHING = np.empty(0, np.int64)
NOTHING_DONE = Done(NOTHING, NOTHING, NOTHING)


class Top(NamedTuple):
    """The highest position that was ever confirmed: to whom first, as far as its time is known."""

    offset: int
    client: str
    invoked_ns: int


@dataclass(frozen=True, slots=True)
class Positions:
    """Of one group in one partition.

    `offset`, `begun_ns` and `ended_ns` are of commits that were confirmed at a known time, in the
    order of their ends. `open_offset` and `open_ns` are of those of which nobody knows how or when
    they ended, with their beginnings; `late` is the highest of them that was confirmed. `top` is
    the highest of all that was; None where nothing was. `done` is what its members finished with.
    """

    offset: Ints
    begun_ns: Ints
    ended_ns: Ints
    open_offset: Ints
    open_ns: Ints
    late: int
    top: Top | None
    done: Done

    @classmethod
    def of(cls, commits: Rows, done: Done) -> Positions:
        begun, ended, offset = (commits[name] for name in ("invoked_ns", "completed_ns", "offset"))
        is_told, is_known = commits.is_word("outcome", "ok"), ended != NONE
        is_timed = is_told & is_known & (ended >= begun)
        is_untimed = is_told & ~is_timed
        open_yet = is_untimed | is_open(commits)
        began = np.where(is_known & (ended < begun), NONE, begun)
        sound = np.flatnonzero(is_timed)
        sound = sound[np.argsort(ended[sound], kind="stable")]
        return cls(
            offset[sound],
            begun[sound],
            ended[sound],
            offset[open_yet],
            began[open_yet],
            late=int(offset[is_untimed].max(initial=NONE)),
            top=_top(commits.take(is_told)),
            done=done,
        )

    def standing(self, since_ns: Ints, until_ns: Ints) -> Standing:
        """In each of some spans of time: confirmed is what had been before one began.

        What may have come after that began before the span was over. Of a span that begins at LAST
        nobody knows the time: `most` is of all that was ever confirmed.
        """
        over = np.searchsorted(self.ended_ns, since_ns, "left")
        begun = np.searchsorted(np.sort(self._all_begun), until_ns, "right")
        found = Standing(*np.empty((3, len(since_ns)), np.int64))
        for rows in groups(numbered(over, begun)):
            at = self._at(int(over[rows[0]]), int(until_ns[rows[0]]))
            for column, number in zip(found, at, strict=True):
                column[rows] = number
        found.most[since_ns == LAST] = self.highest
        return found

    def confirmed_before(self, at_ns: Ints) -> Ints:
        """For each of these moments the highest that had been confirmed; NONE: nothing was."""
        highest = np.append(NONE, np.maximum.accumulate(self.offset))
        found: Ints = highest[np.searchsorted(self.ended_ns, at_ns, "left")]
        return found

    @property
    def highest(self) -> int:
        """Of all that was ever confirmed; NONE where nothing was."""
        return NONE if self.top is None else self.top.offset

    @property
    def _all_begun(self) -> Ints:
        return np.concatenate([self.begun_ns, self.open_ns])

    def _at(self, over: int, until_ns: int) -> tuple[int, int, int]:
        """When so many were over; what had begun by then may have come after them."""
        least, most = NONE, self.late
        if over:
            last_began_ns = self.begun_ns[:over].max()
            last = self.offset[:over][self.ended_ns[:over] >= last_began_ns]
            least, most = int(last.min()), max(most, int(last.max()))
        after = self.offset[over:][self.begun_ns[over:] <= until_ns]
        unknown = self.open_offset[self.open_ns <= until_ns]
        lowest = min(after.min(initial=LAST), unknown.min(initial=LAST))
        return least, most, int(lowest)


def _top(told: Rows) -> Top | None:
    if not len(told):
        return None
    offset, begun, client = (told[name] for name in ("offset", "invoked_ns", "client"))
    first = np.lexsort((client, begun, -offset))[0]
    return Top(int(offset[first]), str(told.text("client", int(client[first]))), int(begun[first]))


def positions_of(
    commits: Rows | None, processed: Rows | None
) -> Mapping[Place, Mapping[str, Positions]]:
    """By partition and group."""
    found: dict[Place, dict[str, Positions]] = defaultdict(dict)
    if commits is None:
        return found
    done: Mapping[tuple[Place, str], Rows] = {}
    if processed is not None:
        is_span = processed["first_offset"] >= 0
        done = by_group(processed.take(is_span))
    for whose, own in by_group(commits.take(commits["offset"] >= 0)).items():
        (place, group), spans = whose, done.get(whose)
        told = NOTHING_DONE if spans is None else Done.of(spans)
        found[place][group] = Positions.of(own, told)
    return found
