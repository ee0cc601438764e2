"""What members of a group were handed that members of it had been handed before."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from highwater.checkers.facts import Place
from highwater.checkers.parts import Values
from highwater.checkers.rows import (
    LAST,
    NONE,
    Bools,
    Ints,
    Words,
    alike,
    changes,
    groups,
    in_order,
    numbered,
)

MAY_BE_ITS = "nobody told whether one of its readers is a member"


@dataclass(frozen=True, slots=True)
class Repeats:
    """Rows of one group in one partition that may not be the first of their record.

    `surely` are those that began when another one was over, or the group had finished with it.
    `since_ns` is when their readers began
    to read, which fetched their group's position after that: LAST where nobody told it, or a clock
    ran backwards. `until_ns` is when they were handed out, LAST where nobody knows.
    """

    place: Place
    group: int
    rows: npt.NDArray[np.intp]
    surely: Bools
    since_ns: Ints
    until_ns: Ints

    @property
    def timed(self) -> Bools:
        told: Bools = self.since_ns != LAST
        return told

    @property
    def reasons(self) -> Iterator[tuple[str, Bools]]:
        """Why it may not be possible to judge them: for each the one that is its own."""
        yield "nobody knows which was handed out first", ~self.surely
        yield "nobody told when its reader began", self.surely & ~self.timed
        yield "nobody knows what was committed last", self.surely & self.timed


def members(part: Values) -> tuple[Ints, Words]:
    """For each row the place of its client's group among the groups' names; NONE: it has none."""
    told = sorted({one.group for one in part.facts.promises.clients.values() if one.group})
    if not told:
        return np.full(len(part["client"]), NONE), np.array([], object)
    places = {name: place for place, name in enumerate(told)}
    return part.of_client(lambda one: places.get(one.group or "", NONE)), np.array(told, object)


def repeats(part: Values, group: Ints, names: Words, handed: Bools) -> Iterator[Repeats]:
    """Of these rows, for each group and partition those that may be no record's first."""
    values, done = part.by_value_here, _finished(part, group, names, handed)
    rows = np.flatnonzero(handed)
    if len(rows):
        rows = rows[values.spread(values.count(handed) > 1)[rows] | done[rows]]
    if not len(rows):
        return
    record = numbered(part["place"][rows], part["value"][rows], part["offset"][rows], group[rows])
    backwards = part.ran_backwards[rows]
    begun = np.where(backwards, NONE, part["invoked_ns"][rows])
    ended = np.where(backwards, LAST, part.ended_ns[rows])
    order = in_order(record, begun)
    rows, begun, ended, is_first = rows[order], begun[order], ended[order], changes(record[order])
    surely = np.minimum.reduceat(ended, np.flatnonzero(is_first))[np.cumsum(is_first) - 1] < begun
    surely |= done[rows]
    next_is_first = np.append(is_first[1:], True)
    precedes_all = is_first & (next_is_first | (ended < np.append(begun[1:], LAST)))
    precedes_all &= ~done[rows]
    since = _since(part)[rows]
    left = np.flatnonzero(~precedes_all)
    for at in groups(alike(part["place"][rows[left]], group[rows[left]])):
        own = left[at]
        yield Repeats(
            part.place(rows[own[0]]),
            int(group[rows[own[0]]]),
            rows[own],
            surely[own],
            since[own],
            ended[own],
        )


def _since(part: Values) -> Ints:
    """When each row's reader had begun; LAST where nobody told it, or a clock ran backwards."""
    began = part.of_client(lambda one: NONE if one.began_ns is None else one.began_ns)
    unsure = (began == NONE) | part.ran_backwards | (began > part["invoked_ns"])
    return np.where(unsure, LAST, began)


def _finished(part: Values, group: Ints, names: Words, handed: Bools) -> Bools:
    """Which of these rows lie below what their group had confirmed before their readers began, and
    had been finished with by then: by a member who told that, since the record was acknowledged.
    """
    found, since = np.zeros(len(group), bool), _since(part)
    for at, place in enumerate(part.places):
        for number, name in enumerate(names.tolist()):
            positions = part.facts.positions.get(place, {}).get(name)
            if positions is None or not len(positions.done.first):
                continue
            own = handed & (group == number) & (part["place"] == at) & (since != LAST)
            rows = np.flatnonzero(own)
            rows = rows[positions.confirmed_before(since[rows]) > part["offset"][rows]]
            for row, acked_ns in zip(rows.tolist(), _acked(part, rows).tolist(), strict=True):
                offset, begun_ns = int(part["offset"][row]), int(part["invoked_ns"][row])
                found[row] = positions.done.within(offset, acked_ns, begun_ns)
    return found


def _acked(part: Values, rows: Ints) -> Ints:
    """For each of these when its record was first acknowledged at its offset; LAST: it was not."""
    if not len(rows):
        return rows
    done = part.acknowledged & part.known("completed_ns") & ~part.ran_backwards
    sends = np.flatnonzero(done & (part["offset"] >= 0))
    both = np.append(sends, rows)
    record = numbered(*(part[name][both] for name in ("place", "value", "offset")))
    first = np.full(int(record.max()) + 1, LAST)
    np.minimum.at(first, record[: len(sends)], part["completed_ns"][sends])
    found: Ints = first[record[len(sends) :]]
    return found


def unsure_repeats(part: Values, group: Ints, names: Words) -> int:
    """Records below a group's position that were handed out again, to who may be a member of it."""
    polled = part.polled & (part["offset"] >= 0)
    unknown = polled & ~part.of_clients(lambda client: client.is_told)
    if not unknown.any():
        return 0
    places = {name: number for number, name in enumerate(names.tolist())}
    found = 0
    for at, place in enumerate(part.places):
        for name, positions in part.facts.positions.get(place, {}).items():
            may_be_its = unknown | (group == places.get(name, LAST))
            rows = np.flatnonzero(polled & may_be_its & (part["place"] == at))
            rows = rows[part["offset"][rows] < positions.highest]
            record = numbered(part["value"][rows], part["offset"][rows])
            by_unknown = np.bincount(record, unknown[rows])
            found += int(np.count_nonzero((by_unknown > 0) & (np.bincount(record) > 1)))
    return found
