"""Who held a partition when it was given to somebody, and what both did while both held it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from highwater.checkers.findings import Shown
from highwater.checkers.groups import Place, by_group
from highwater.checkers.rows import LAST, NONE, Bools, Ints, Rows, Words, constant


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
        it may have. NONE: it had not been given it by then; LAST: nobody told an end.
        """
        last = np.searchsorted(self.assigned, at_ns, "right")
        since = np.append(NONE, self.assigned)[last]
        ends = np.append(self.ended, LAST)
        surely, perhaps = (
            np.where(last == 0, NONE, ends[np.searchsorted(self.ended, since, side)])
            for side in ("left", "right")
        )
        return surely, perhaps

    def worked_between(self, since_ns: Ints, until_ns: Ints) -> Bools:
        """For sure: neither at the one moment nor at the other."""
        return _any(self.worked, since_ns, until_ns, ("right", "left"))

    def may_have_worked(self, since_ns: Ints, until_ns: Ints) -> Bools:
        return _any(self.worked, since_ns, until_ns, ("left", "right"))


@dataclass(frozen=True, slots=True)
class Handovers:
    """All that one member of a group was assigned in one partition, in the order of time.

    `shared` is where another one held it too and both finished with records meanwhile, and `other`
    who that was. `unordered` is where that depends on what came first of one moment, `unknown`
    where somebody worked on it of whom nobody told that he had been given it. `told` is where
    another one held it too, until he gave it up, and not both worked.
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
    for client in sorted(given):
        yield _of_member((place, group, client), members, names)


def _of_member(
    whose: tuple[Place, str, str], members: dict[str, _Member], names: Words
) -> Handovers:
    *_, client = whose
    own = members[client]
    at_ns = own.assigned
    surely, perhaps = own.held(at_ns)
    shared, unordered, unknown, told = np.zeros((4, len(at_ns)), bool)
    whom = np.full(len(at_ns), NONE)
    for number, name in enumerate(names):
        other = members[name]
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
    found: dict[str, Ints] = {}
    for number in np.unique(rows["client"]).tolist():
        mine = rows[column][rows["client"] == number]
        found[str(rows.text("client", number))] = np.sort(mine)
    return found


def _any(times: Ints, since_ns: Ints, until_ns: Ints, sides: tuple[Any, Any]) -> Bools:
    """Whether any of these lies between, by the sides of the two ends."""
    begins, ends = (
        np.searchsorted(times, ends_ns, side)
        for ends_ns, side in zip((since_ns, until_ns), sides, strict=True)
    )
    found: Bools = begins < ends
    return found
