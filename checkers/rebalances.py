"""How long partitions of groups had no owner: from when one was given up, or its owner was gone,
until all of its group had one again.
"""

from __future__ import annotations

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
    frozen.
    """

    killed: Mapping[str, int] = field(default_factory=dict)
    stopped: Mapping[str, int] = field(default_factory=dict)
    frozen: Mapping[str, Sequence[tuple[int, int]]] = field(default_factory=dict)
    topics: Sequence[tuple[int, str, Sequence[str]]] = ()  # when, who, what it reads from then on


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
                case "subscribed":
                    topics.append((at_ns, client, list(map(str, each.get("topics", ())))))
                case "paused":
                    frozen[client].append((at_ns, LAST))
                case "resumed" if frozen[client]:
                    frozen[client][-1] = (frozen[client][-1][0], at_ns)
    return Fates(killed, stopped, frozen, topics)


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
    members = {one.client for told in places.values() for one in told}
    over_ns = min((at for client, at in fates.stopped.items() if client in members), default=LAST)
    gaps = [gap for place, told in places.items() for gap in _gaps(place, told, fates)]
    together: list[list[Gap]] = []
    until_ns = -LAST
    read = [(at_ns, topics) for at_ns, client, topics in fates.topics if client in members]
    for gap in sorted(gap for gap in gaps if gap.since_ns < over_ns and _is_read(gap, read)):
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


def _is_read(gap: Gap, read: Sequence[tuple[int, Sequence[str]]]) -> bool:
    """Whether its group was to read that topic when it began, by what it was told last."""
    told = [topics for at_ns, topics in read if at_ns <= gap.since_ns]
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
    open_since: dict[str, int] = {}
    for one in told:
        if one.what == "assigned":
            open_since.setdefault(one.client, one.at_ns)
        elif one.client in open_since:
            held = Held(open_since.pop(one.client), one.at_ns, one.client, one.what)
            yield _unless_frozen(held, told, fates)
    for client, since_ns in open_since.items():
        killed_ns = fates.killed.get(client, LAST)
        yield _unless_frozen(Held(since_ns, killed_ns, client, "killed"), told, fates)


def _unless_frozen(held: Held, told: Sequence[Told], fates: Fates) -> Held:
    others = [one.at_ns for one in told if one.what == "assigned" and one.client != held.client]
    for since_ns, until_ns in fates.frozen.get(held.client, ()):
        is_taken = any(since_ns < at_ns < min(until_ns, held.until_ns) for at_ns in others)
        if held.since_ns <= since_ns < held.until_ns and is_taken:
            return held._replace(until_ns=since_ns, what="paused")
    return held
