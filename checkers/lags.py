"""How far groups lagged behind: how many offsets lay between what a group had committed and how
high the log was known to stand.

That is Kafka's own lag, counted in offsets, so that a transaction's marker counts as a record does.
The height is that of `heights`; the position is the commit that was confirmed last, at the time of
its answer. Before the first one it is 0 where members begin at the earliest offset of a topic that
deletes nothing, and else not known, unless the log was empty; then there is no lag, or it is not
known. It is asked from when a member was first assigned the partition, or the first commit was
confirmed, and not while the group was ending, or was to read the topic no more. All is looked at at
the end of each hundredth of a second.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from highwater.checkers.facts import Place
from highwater.checkers.fates import Course, Fates, Told, course_of
from highwater.checkers.groups import by_group
from highwater.checkers.heights import HIGHEST, Heights
from highwater.checkers.promises import EARLIEST, Promises
from highwater.checkers.rows import LAST, NONE, Bools, Ints, Rows
from highwater.checkers.tallies import SECOND_NS, SLOT_NS
from highwater.harness.measurements import LAGS

SLOTS = SECOND_NS // SLOT_NS  # of a second
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Followed:
    """A partition by a group: `commits` are rows of slots and positions, both as they came.

    `since_ns` is when it was first assigned, or a commit of it was confirmed. `from_0` is whether
    the group begins at its very beginning.
    """

    group: str
    place: Place
    since_ns: int
    from_0: bool
    commits: Ints


class Steps(NamedTuple):
    """What holds from the end of each slot to that of the next one in here; the last has nothing.

    A lag is NONE where nobody knows it, and where it is not asked.
    """

    slot: Ints
    lag: Ints
    is_asked: Bools


def followed_of(
    commits: Rows | None, told: Sequence[Told], promises: Promises
) -> Sequence[Followed]:
    """By what members told that they were assigned, and by commits confirmed at a known time."""
    since: dict[tuple[str, Place], int] = {}
    confirmed: dict[tuple[str, Place], Ints] = {}
    for one in told:
        if one.what == "assigned":
            key = one.group, one.place
            since[key] = min(one.at_ns, since.get(key, LAST))
    if commits is not None:
        ended = commits["completed_ns"]
        is_told = commits.is_word("outcome", "ok") & (commits["offset"] >= 0) & (ended != NONE)
        for (place, group), own in by_group(
            commits.take(is_told & (ended >= commits["invoked_ns"]))
        ).items():
            confirmed[group, place] = _positions(own)
            first_ns = int(own["completed_ns"].min())
            since[group, place] = min(first_ns, since.get((group, place), LAST))
    nothing = np.empty((2, 0), np.int64)
    return [
        Followed(
            group,
            place,
            at_ns,
            promises.groups.get(group) == EARLIEST and not promises.topic(place[0]).deletes,
            confirmed.get((group, place), nothing),
        )
        for (group, place), at_ns in sorted(since.items())
    ]


def _positions(commits: Rows) -> Ints:
    """The last of each slot; of those that were confirmed at one moment the highest."""
    ended, offset = commits["completed_ns"], np.minimum(commits["offset"], HIGHEST)
    order = np.lexsort((offset, ended))
    slots, offset = ended[order] // SLOT_NS, offset[order]
    last = np.append(slots[1:] != slots[:-1], True)
    return np.stack([slots[last], offset[last]])


def lags_of(
    followed: Sequence[Followed], heights: Heights, told: Sequence[Told], fates: Fates
) -> pa.Table:
    """A row for each group and partition in each second, and in all; see docs/ledger.md."""
    known = {one.place: heights.known(one.place) for one in followed}
    moments = [*(slots for slots, _ in known.values()), *(one.commits[0] for one in followed)]
    last = max((int(each[-1]) for each in moments if len(each)), default=0)
    courses = {
        group: course_of(group, [one for one in told if one.group == group], fates)
        for group in {one.group for one in followed}
    }
    topics: dict[tuple[str, str], dict[int | None, Steps]] = defaultdict(dict)
    for one in followed:
        topic, partition = one.place
        steps = _steps(one, known[one.place], courses[one.group], last + 1)
        if steps.is_asked.any():
            topics[one.group, topic][partition] = steps
    rows = [
        {"group": group, "topic": topic, "partition": partition, **row}
        for (group, topic), partitions in topics.items()
        for partition, steps in {None: _together(list(partitions.values())), **partitions}.items()
        for row in _rows(steps)
    ]
    return pa.Table.from_pylist(rows, schema=LAGS)


def _steps(one: Followed, known: Ints, course: Course, end: int) -> Steps:
    """`end` is the first slot of which nothing is known."""
    first = one.since_ns // SLOT_NS
    spans = [
        (since_ns // SLOT_NS, until_ns // SLOT_NS)
        for since_ns, until_ns in course.left_out(one.place[0])
    ]
    cuts = np.array([first, end, *(slot for span in spans for slot in span)], np.int64)
    slots = np.unique(np.concatenate([cuts, known[0], one.commits[0]]))
    slots = slots[(slots >= first) & (slots <= end)]
    asked = slots < end
    for since, until in spans:
        asked &= (slots < since) | (slots >= until)
    height = _held(known, slots, NONE)
    position = _held(one.commits, slots, 0 if one.from_0 else NONE)
    position = np.where((position == NONE) & (height == 0), 0, position)
    is_known = asked & (height != NONE) & (position != NONE)
    return Steps(slots, np.where(is_known, np.maximum(height - position, 0), NONE), asked)


def _held(steps: Ints, slots: Ints, before: int) -> Ints:
    """What stood last at each of these; `before` the first."""
    at, values = steps
    return np.append(before, values)[np.searchsorted(at, slots, "right")]


def _together(several: Sequence[Steps]) -> Steps:
    """The sum of those that are known."""
    slots = np.unique(np.concatenate([each.slot for each in several]))
    lag, is_known, asked = np.zeros(len(slots), np.int64), *np.zeros((2, len(slots)), bool)
    for each in several:
        own = _held(np.stack([each.slot, each.lag]), slots, NONE)
        asked |= _held(np.stack([each.slot, each.is_asked]), slots, 0) > 0
        is_known |= own != NONE
        lag += np.where(own == NONE, 0, own)
    return Steps(slots, np.where(is_known, lag, NONE), asked)


def _rows(steps: Steps) -> Iterator[Row]:
    """Of the whole run first, and then of its seconds."""
    slot, lag, _ = steps
    known = np.flatnonzero(lag != NONE)
    if not len(known):
        yield {}
        return
    most, lasted = int(lag.max()), np.diff(slot, append=slot[-1:])
    yield {
        "lag_records": most,
        "last_records": int(lag[known[-1]]),
        "above_half_ms": float(lasted[lag > most / 2].sum() * SLOT_NS / 1e6),
        "from_ns": int(slot[known[0]]) * SLOT_NS,
        "until_ns": int(slot[known[-1] + 1]) * SLOT_NS,
    }
    slot, lag = slot[:-1], lag[:-1]
    second = slot // SLOTS
    starts = np.flatnonzero(np.append(True, second[1:] != second[:-1]))
    carried = (slot[starts] != second[starts] * SLOTS) & (starts > 0)
    before = np.where(carried, lag[starts - 1], NONE)
    largest = np.maximum(np.maximum.reduceat(lag, starts), before)
    last = lag[np.append(starts[1:], len(lag)) - 1]
    for at in np.flatnonzero(largest != NONE).tolist():
        yield {
            "second": int(second[starts[at]]),
            "lag_records": int(largest[at]),
            "last_records": None if last[at] == NONE else int(last[at]),
        }
