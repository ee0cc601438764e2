"""Who held a partition when it was given to somebody, and what both did while both held it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from highwater.checkers.findings import Shown
from highwater.checkers.groups import Place, by_group
from highwater.checkers.rows import LAST, NONE, Bools, Ints, Rows, Words, constant, groups, numbered


@dataclass(frozen=True, slots=True)
class _Member:
    """Of a group, in one partition: when it was given it, ceased to hold it, and finished with
    records of it, each in the order of time.
    """

    assigned: Ints
    ended: Ints
    worked: Ints

    def held(self, at_ns: Ints) -> tuple[Ints, Ints]:
        """Of what it was given last by each moment, until when it surely held it, and until when
        it may have. NONE: it had not been given it by then; LAST: nobody told an end. Who is given
        it again without an end before may have held it until then, and nobody knows how long.
        """
        last = np.searchsorted(self.assigned, at_ns, "right")
        since = np.append(NONE, self.assigned)[last]
        ends, again = np.append(self.ended, LAST), np.append(self.assigned, LAST)[last]
        first = ends[np.searchsorted(self.ended, since, "left")]
        second = ends[np.searchsorted(self.ended, since, "right")]
        surely = np.where((first < again) | (again == LAST), first, since)
        nothing = last == 0
        return np.where(nothing, NONE, surely), np.where(nothing, NONE, np.minimum(second, again))

    def worked_between(self, since_ns: Ints, until_ns: Ints) -> Bools:
        """For sure: neither at the one moment nor at the other."""
        return _any(self.worked, since_ns, until_ns, ("right", "left"))

    @property
    def extent(self) -> tuple[int, int, bool]:
        """When it was first given it, the last that is told of it but that, and whether it worked
        on it before it was given it.
        """
        first = int(self.assigned.min(initial=LAST))
        last = max(int(times.max(initial=NONE)) for times in (self.ended, self.worked))
        return first, last, int(self.worked.min(initial=LAST)) < first

    def may_have_worked(self, since_ns: Ints, until_ns: Ints) -> Bools:
        return _any(self.worked, since_ns, until_ns, ("left", "right"))


@dataclass(frozen=True, slots=True)
class Handovers:
    """All that one member of a group was assigned in one partition, in the order of time.

    `shared` is where another one held it too and both finished with records meanwhile, and `other`
    who that was. `unordered` is where that depends on what came first of one moment, or on when
    somebody ceased to hold it who was given it again and had told no end; `unknown` where somebody
    worked on it of whom nobody told that he had been given it. `told` is where another one held it
    too, until he gave it up, and not both worked.
    """

    place: Place
    group: str
    client: str
    at_ns: Ints
    shared: Bools
    other: Ints
    names: Words
    unordered: Bools
    unknown: Bools
    told: Bools

    @property
    def shown(self) -> Shown:
        def same(word: str) -> tuple[Ints, Words]:
            return constant(0, len(self.at_ns)), np.array([word], object)

        return {
            "topic": same(self.place[0]),
            "partition": (constant(self.place[1], len(self.at_ns)), None),
            "group": same(self.group),
            "client": same(self.client),
            "at_ns": (self.at_ns, None),
            "other": (self.other, self.names),
        }


def handovers_of(assignments: Rows | None, processed: Rows | None) -> Sequence[Handovers]:
    """By partition, group and member."""
    if assignments is None or processed is None:
        return ()
    first, end = processed["first_offset"], processed["end_offset"]
    work = by_group(processed.take((first >= 0) & (first < end)))
    return [
        each
        for (place, group), rows in sorted(by_group(assignments).items())
        for each in _of_group(place, group, rows, work.get((place, group)))
    ]


def _of_group(place: Place, group: str, rows: Rows, work: Rows | None) -> Iterator[Handovers]:
    worked = {} if work is None else _times(work, "completed_ns")
    is_given = rows.is_word("what", "assigned")
    given, ended = _times(rows.take(is_given), "at_ns"), _times(rows.take(~is_given), "at_ns")
    nothing = np.empty(0, np.int64)
    members = {
        name: _Member(*(times.get(name, nothing) for times in (given, ended, worked)))
        for name in sorted({*given, *worked})
    }
    names = np.array(list(members), object)
    extents = np.array([each.extent for each in members.values()], np.int64).reshape(-1, 3)
    first, last, is_untold = extents.T
    for client in sorted(given):
        at_ns = members[client].assigned
        others = np.flatnonzero(((first <= at_ns[-1]) | (is_untold > 0)) & (last >= at_ns[0]))
        yield _of_member((place, group, client), members, names, others)


def _of_member(
    whose: tuple[Place, str, str], members: dict[str, _Member], names: Words, others: Ints
) -> Handovers:
    """`others` are the places in `names` of those that can be of any matter to it."""
    *_, client = whose
    own = members[client]
    at_ns = own.assigned
    surely, perhaps = own.held(at_ns)
    shared, unordered, unknown, told = np.zeros((4, len(at_ns)), bool)
    whom = np.full(len(at_ns), NONE)
    for number in others:
        other = members[names[number]]
        if other is own:
            continue
        until, at_most = other.held(at_ns)
        both = np.minimum(until, surely)
        wrong = own.worked_between(at_ns, both) & other.worked_between(at_ns, both)
        whom[wrong & ~shared] = number
        shared |= wrong
        both = np.minimum(at_most, perhaps)
        unordered |= own.may_have_worked(at_ns, both) & other.may_have_worked(at_ns, both)
        untold = np.minimum(perhaps, other.assigned.min(initial=LAST) - 1)
        unknown |= own.may_have_worked(at_ns, perhaps) & other.may_have_worked(at_ns, untold)
        told |= (until > at_ns) & (until != LAST)
    return Handovers(
        *whose,
        at_ns,
        shared,
        whom,
        names,
        unordered=unordered & ~shared & ~unknown,
        unknown=unknown & ~shared,
        told=told & ~(shared | unordered | unknown),
    )


def _times(rows: Rows, column: str) -> dict[str, Ints]:
    """By client, in order."""
    clients = rows["client"]
    return {
        str(rows.text("client", int(clients[at[0]]))): np.sort(rows[column][at])
        for at in groups(numbered(clients))
    }


def _any(times: Ints, since_ns: Ints, until_ns: Ints, sides: tuple[Any, Any]) -> Bools:
    """Whether any of these lies between, by the sides of the two ends."""
    begins, ends = (
        np.searchsorted(times, ends_ns, side)
        for ends_ns, side in zip((since_ns, until_ns), sides, strict=True)
    )
    found: Bools = begins < ends
    return found
