"""How long partitions of groups had no owner: from when one was given up, or its owner was gone,
until all of its group had one again.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from highwater.checkers.facts import Place
from highwater.checkers.fates import Fates, Told, course_of
from highwater.checkers.rows import LAST
from highwater.harness.measurements import REBALANCES


class Held(NamedTuple):
    since_ns: int
    until_ns: int  # LAST: nobody knows an end
    client: str
    what: str  # by which it ended


class Gap(NamedTuple):
    since_ns: int
    until_ns: int  # LAST: to the end
    client: str
    what: str
    place: Place


def rebalances_of(told: Sequence[Told], fates: Fates) -> pa.Table:
    """A row for each time in which a partition of a group had no owner; see docs/ledger.md."""
    groups: dict[str, dict[Place, list[Told]]] = defaultdict(lambda: defaultdict(list))
    for one in told:
        groups[one.group][one.place].append(one)
    rows = [row for group, places in sorted(groups.items()) for row in _rows(group, places, fates)]
    return pa.Table.from_pylist(rows, schema=REBALANCES)


def _rows(
    group: str, places: Mapping[Place, Sequence[Told]], fates: Fates
) -> Iterator[dict[str, Any]]:
    together: list[list[Gap]] = []
    until_ns = -LAST
    for gap in sorted(_measured(group, places, fates)):
        if gap.since_ns > until_ns:
            together.append([])
        together[-1].append(gap)
        until_ns = max(until_ns, gap.until_ns)
    owners = [held for told in places.values() for held in _held(told, fates)]
    given = [one for told in places.values() for one in told if one.what == "assigned"]
    for some in together:
        first, ended_ns = some[0], max(gap.until_ns for gap in some)
        is_over = ended_ns != LAST
        left = {each.client for each in owners if each.since_ns <= ended_ns < each.until_ns}
        yield {
            "group": group,
            "client": first.client,
            "how": first.what,
            "from_ns": first.since_ns,
            "until_ns": ended_ns if is_over else None,
            "partitions": len({gap.place for gap in some}),
            "members": len(left) if is_over else None,
            "generation": _generation(given, first.since_ns, ended_ns),
            "rebalance_ms": (ended_ns - first.since_ns) / 1e6 if is_over else None,
        }


def _generation(given: Sequence[Told], since_ns: int, until_ns: int) -> int | None:
    """The last one that was told by who was given something meanwhile."""
    told = [one.generation for one in given if since_ns <= one.at_ns <= until_ns]
    return max((each for each in told if each is not None), default=None)


def _measured(group: str, places: Mapping[Place, Sequence[Told]], fates: Fates) -> Iterator[Gap]:
    """What of all gaps is no matter of a test that ends."""
    course = course_of(group, [one for told in places.values() for one in told], fates)
    for place, told in places.items():
        for gap in _gaps(place, told, fates):
            anew_ns = course.anew_ns(gap.since_ns)
            if gap.since_ns < anew_ns < gap.until_ns != LAST:
                gap = gap._replace(since_ns=anew_ns)  # noqa: PLW2901
            if gap.since_ns >= anew_ns and course.is_to_read(place[0], gap.since_ns):
                yield gap


def _gaps(place: Place, told: Sequence[Told], fates: Fates) -> Iterator[Gap]:
    """Between owners, from the first one on."""
    last: Held | None = None
    for held in sorted(_held(told, fates)):
        if last is not None and held.since_ns > last.until_ns:
            yield Gap(last.until_ns, held.since_ns, last.client, last.what, place)
        if last is None or held.until_ns > last.until_ns:
            last = held
    if last is not None and last.until_ns != LAST:
        yield Gap(last.until_ns, LAST, last.client, last.what, place)


def _held(told: Sequence[Told], fates: Fates) -> Iterator[Held]:
    """Who was killed holds nothing any more; nor who is frozen while another one is given it."""
    given = [one for one in told if one.what == "assigned"]
    open_since: dict[str, int] = {}
    for one in told:
        if one.what == "assigned":
            open_since.setdefault(one.client, one.at_ns)
        elif one.client in open_since:
            held = Held(open_since.pop(one.client), one.at_ns, one.client, one.what)
            yield _unless_frozen(held, given, fates)
    for client, since_ns in open_since.items():
        killed_ns = fates.killed.get(client, LAST)
        yield _unless_frozen(Held(since_ns, killed_ns, client, "killed"), given, fates)


def _unless_frozen(held: Held, given: Sequence[Told], fates: Fates) -> Held:
    """Who is killed while it is frozen never wakes up. Who is busy may have been given it as it was
    told to be: by the poll that it was at.
    """
    for told_ns, until_ns in fates.frozen.get(held.client, ()):
        since_ns = max(told_ns, held.since_ns)
        if until_ns <= held.since_ns or since_ns >= held.until_ns:
            continue
        is_killed = held.what == "killed" and held.until_ns <= until_ns
        wakes_ns = until_ns if held.what == "killed" else min(until_ns, held.until_ns)
        if _is_given(held.client, since_ns, LAST if is_killed else wakes_ns, given):
            return held._replace(until_ns=since_ns, what="paused")
    return held


def _is_given(client: str, since_ns: int, until_ns: int, given: Sequence[Told]) -> bool:
    """Whether somebody else was given the partition between."""
    first = bisect_right(given, since_ns, key=lambda one: one.at_ns)
    for number in range(first, len(given)):
        if given[number].at_ns >= until_ns:
            return False
        if given[number].client != client:
            return True
    return False
