"""How long partitions of groups had no owner: from when one was given up, or its owner was gone,
until all of its group had one again.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pyarrow as pa

from highwater.checkers.facts import Place
from highwater.checkers.groups import by_group
from highwater.checkers.rows import LAST, Rows
from highwater.harness.measurements import REBALANCES


class Told(NamedTuple):
    """By a member: that it was assigned a partition, or ceased to hold it."""

    group: str
    place: Place
    client: str
    at_ns: int
    what: str


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


@dataclass(frozen=True, slots=True)
class Fates:
    """Of clients, by a timeline: when each was killed or told to stop, and from when to when it was
    frozen, in the order of time. `groups` has those of which a group is told.
    """

    killed: Mapping[str, int] = field(default_factory=dict)
    stopped: Mapping[str, int] = field(default_factory=dict)
    groups: Mapping[str, str] = field(default_factory=dict)
    frozen: Mapping[str, Sequence[tuple[int, int]]] = field(default_factory=dict)
    topics: Sequence[tuple[int, str, Sequence[str]]] = ()  # when, who, what it reads from then on

    def is_there(self, client: str, at_ns: int) -> bool:
        """Neither killed before nor told to stop by then."""
        return at_ns < self.stopped.get(client, LAST) and at_ns <= self.killed.get(client, LAST)


def told_of(assignments: Rows | None) -> list[Told]:
    """In the order of time."""
    if assignments is None:
        return []
    found = [
        Told(group, place, str(rows.text("client", client)), at_ns, str(rows.text("what", what)))
        for (place, group), rows in by_group(assignments).items()
        for client, at_ns, what in zip(
            *(rows[name].tolist() for name in ("client", "at_ns", "what")), strict=True
        )
    ]
    return sorted(found, key=lambda one: one.at_ns)


def fates_of(events: Iterable[Mapping[str, Any]]) -> Fates:
    killed: dict[str, int] = {}
    stopped: dict[str, int] = {}
    groups: dict[str, str] = {}
    frozen: dict[str, list[tuple[int, int]]] = defaultdict(list)
    topics: list[tuple[int, str, Sequence[str]]] = []
    for each in events:
        if each["kind"] == "client" and isinstance(each.get("client"), str):
            client, at_ns = each["client"], each["at_ns"]
            match each.get("event"):
                case "killed":
                    killed[client] = at_ns
                case "stopping":
                    stopped[client] = at_ns
                    groups |= {client: group} if isinstance(group := each.get("group"), str) else {}
                case "subscribed":
                    topics.append((at_ns, client, list(map(str, each.get("topics", ())))))
                case "paused":
                    frozen[client].append((at_ns, LAST))
                case "resumed" if frozen[client]:
                    frozen[client][-1] = (frozen[client][-1][0], at_ns)
    spans = {client: sorted(each) for client, each in frozen.items()}
    return Fates(killed, stopped, groups, spans, topics)


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
    for some in together:
        first, ended_ns = some[0], max(gap.until_ns for gap in some)
        is_over = ended_ns != LAST
        yield {
            "group": group,
            "client": first.client,
            "how": first.what,
            "from_ns": first.since_ns,
            "until_ns": ended_ns if is_over else None,
            "partitions": len({gap.place for gap in some}),
            "rebalance_ms": (ended_ns - first.since_ns) / 1e6 if is_over else None,
        }


def _measured(group: str, places: Mapping[Place, Sequence[Told]], fates: Fates) -> Iterator[Gap]:
    """What of all gaps is no matter of a test that ends."""
    members = {one.client for told in places.values() for one in told}
    members |= {client for client, its in fates.groups.items() if its == group}
    subscribed = [each for each in fates.topics if each[1] in members]
    ends = _ends([one for told in places.values() for one in told], members, fates)
    for place, told in places.items():
        for gap in _gaps(place, told, fates):
            last = bisect_right(ends, (gap.since_ns, LAST)) - 1
            anew_ns = ends[last][1] if last >= 0 else gap.since_ns
            if gap.since_ns < anew_ns < gap.until_ns != LAST:
                gap = gap._replace(since_ns=anew_ns)  # noqa: PLW2901
            if gap.since_ns >= anew_ns and _is_read(gap, subscribed, fates):
                yield gap


def _ends(told: Sequence[Told], members: set[str], fates: Fates) -> list[tuple[int, int]]:
    """From when to when a group was ending: from when a member was told to stop until one was
    assigned something that was not; LAST: no more.
    """
    anew = sorted(
        one.at_ns
        for one in told
        if one.what == "assigned" and one.at_ns < fates.stopped.get(one.client, LAST)
    )
    anew.append(LAST)
    spans: dict[int, int] = {}
    for at_ns in sorted(at for client, at in fates.stopped.items() if client in members):
        spans.setdefault(anew[bisect_right(anew, at_ns)], at_ns)
    return sorted((since_ns, until_ns) for until_ns, since_ns in spans.items())


def _is_read(gap: Gap, subscribed: Sequence[tuple[int, str, Sequence[str]]], fates: Fates) -> bool:
    """Whether its group was to read that topic when it began, by what was told last to a member
    that was there.
    """
    told = [
        topics
        for at_ns, client, topics in subscribed
        if at_ns <= gap.since_ns and fates.is_there(client, gap.since_ns)
    ]
    return not told or gap.place[0] in told[-1]


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
    """Who is killed while it is frozen never wakes up."""
    frozen = fates.frozen.get(held.client, ())
    for since_ns, until_ns in frozen[bisect_left(frozen, (held.since_ns, 0)) :]:
        if since_ns >= held.until_ns:
            break
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
