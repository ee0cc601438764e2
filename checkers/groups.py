"""How far consumer groups got: what they committed, and what their members had processed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from highwater.checkers.findings import Shown
from highwater.checkers.promises import EARLIEST, LATEST, Promises
from highwater.checkers.rows import (
    LAST,
    NONE,
    Bools,
    Ints,
    Rows,
    Words,
    alike,
    constant,
    groups,
    in_order,
    numbered,
    places,
)

Place = tuple[str, int]  # topic and partition


UNSEEN = "its library commits by itself, and no commit of its group was seen"
NOTHING = (np.array([], np.int64), np.array([], np.int64))
Spans = tuple[Ints, Ints]  # the first and the last offset of each, in their order


@dataclass(frozen=True, slots=True)
class Unseen:
    """A group that left commits to its libraries, and of which none is told.

    `processed` has the spans of offsets that its members had processed.
    """

    name: str
    processed: Mapping[Place, Spans]

    def has_processed(self, place: Place, offset: Ints) -> Bools:
        return _within(self.processed.get(place, NOTHING), offset)


@dataclass(frozen=True, slots=True)
class GroupProgress:
    """Of one group in one partition.

    `begins_at` is where it begins before it has committed anything: None is not known. `tells` is
    whether its members are known to tell what they process. `first` and
    `last` are the spans of offsets that its members had processed, in their order. `positions` are
    what was confirmed, in the order of its time, to `clients`, whose `names` are these. Of those
    that may be the last `committed` is the highest; of those, and of the ones that nobody knows to
    have been refused, `surely_committed` is the lowest. `first_committed` is the lowest of those
    that may be the first.
    """

    group: str
    begins_at: str | None
    tells: bool
    first: Ints
    last: Ints
    positions: Ints
    clients: Ints
    names: Words
    committed: int
    surely_committed: int
    first_committed: int

    @property
    def begin(self) -> int:
        """The lowest offset that is known to have been a matter of this group."""
        if self.begins_at == EARLIEST:
            return 0
        lowest = self.first_committed
        return min(lowest, int(self.first[0])) if len(self.first) else lowest

    @property
    def asked_from(self) -> int:
        """Below this nothing was a matter of this group."""
        return self.begin if self.begins_at == LATEST else 0

    def has_processed(self, offset: Ints) -> Bools:
        return _within((self.first, self.last), offset)

    def shown(self, offset: Ints, undone: Bools) -> Shown:
        """For each row, of which some are undone, the group and the first commit beyond its offset.

        The undone ones lie below `committed`.
        """
        highest = np.maximum.accumulate(self.positions)
        first = np.where(undone, np.searchsorted(highest, offset, "right"), 0)
        return {
            "group": (constant(0, len(offset)), np.array([self.group], object)),
            "client": (self.clients[first], self.names),
            "committed": (self.positions[first], None),
        }


def groups_of(
    commits: Rows | None, processed: Rows | None, promises: Promises
) -> dict[Place, list[GroupProgress]]:
    """By partition, of groups that committed there."""
    found: dict[Place, list[GroupProgress]] = defaultdict(list)
    if commits is None or processed is None:
        return found
    is_told = commits.is_word("outcome", "ok") & (commits["offset"] >= 0)
    open_yet = is_open(commits) & (commits["offset"] >= 0)
    told, spans = by_group(commits.take(is_told)), by_group(_spans(processed))
    unknown = by_group(commits.take(open_yet))
    telling = {group for _, group in spans} | promises.groups.keys()
    for place, group in sorted(told):
        own = told[place, group]
        ended = np.where(own["completed_ns"] == NONE, LAST, own["completed_ns"])
        own = own.take(in_order(ended, own["offset"]))
        last = own["offset"][_may_be_last(own)]
        others = unknown[place, group]["offset"] if (place, group) in unknown else last
        progress = GroupProgress(
            group,
            promises.groups.get(group) or None,
            group in telling,
            *_merged(spans.get((place, group), processed.take(np.zeros(len(processed), bool)))),
            own["offset"],
            own["client"],
            own.words["client"],
            committed=int(last.max()),
            surely_committed=int(min(last.min(), others.min())),
            first_committed=int(own["offset"][_may_be_first(own)].min()),
        )
        found[place].append(progress)
    return found


def unseen_of(
    commits: Rows | None, processed: Rows | None, promises: Promises
) -> tuple[Unseen, ...]:
    """In the order of their names."""
    if commits is None:
        return ()
    told = by_group(commits.take(commits["offset"] >= 0))
    unseen = sorted(promises.automatic.difference(group for _, group in told))
    spans = {} if processed is None else by_group(_spans(processed))
    return tuple(
        Unseen(
            name, {place: _merged(own) for (place, group), own in spans.items() if group == name}
        )
        for name in unseen
    )


def _spans(processed: Rows) -> Rows:
    first, end = processed["first_offset"], processed["end_offset"]
    return processed.take((first >= 0) & (first < end))


def _within(spans: Spans, offset: Ints) -> Bools:
    first, last = spans
    if not len(first):
        return np.zeros(len(offset), bool)
    at = np.searchsorted(first, offset, "right") - 1
    found: Bools = (at >= 0) & (offset <= last[at])
    return found


def is_open(commits: Rows) -> Bools:
    """Which nobody knows the end of: what is told of them is not superseded."""
    invoked = commits.is_word("outcome", "invoked")
    names = ("group", "client", "topic", "partition", "offset", "invoked_ns")
    commit = numbered(*(commits[name] for name in names))
    found: Bools = commits.is_word("outcome", "unknown")
    found |= invoked & ~np.isin(commit, commit[~invoked])
    return found


def _may_be_first(commits: Rows) -> Bools:
    """Which began before another one was over."""
    begun, ended = commits["invoked_ns"], commits["completed_ns"]
    in_order_of_time = (ended == NONE) | (ended >= begun)
    is_over = in_order_of_time & (ended != NONE)
    if not is_over.any():
        return np.ones(len(commits), bool)
    is_first: Bools = ~in_order_of_time | (begun <= ended[is_over].min())
    return is_first


def _may_be_last(commits: Rows) -> Bools:
    """Which were not over when another one began; a clock that ran backwards proves no order."""
    begun, ended = commits["invoked_ns"], commits["completed_ns"]
    in_order_of_time = (ended == NONE) | (ended >= begun)
    is_last: Bools = ~in_order_of_time | (ended == NONE)
    if in_order_of_time.any():
        is_last |= ended >= begun[in_order_of_time].max()
    return is_last


def by_group(rows: Rows) -> dict[tuple[Place, str], Rows]:
    where, names = places(rows)
    return {
        (names[int(where[at[0]])], str(rows.text("group", int(rows["group"][at[0]])))): rows.take(
            at
        )
        for at in groups(alike(where, rows["group"]))
    }


def _merged(spans: Rows) -> Spans:
    """The same offsets in as few spans as possible, in their order."""
    if not len(spans):
        return spans["first_offset"], spans["end_offset"]
    order = in_order(spans["first_offset"])
    first = spans["first_offset"][order]
    last = np.maximum.accumulate(spans["end_offset"][order]) - 1
    begins = np.append(True, first[1:] > last[:-1] + 1)
    return first[begins], last[np.append(begins[1:], True)]
