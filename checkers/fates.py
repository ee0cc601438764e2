"""What members of groups and the timeline tell of a group: who held what, who was there when, and
what the group was to read.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

from highwater.checkers.facts import Place
from highwater.checkers.groups import by_group
from highwater.checkers.rows import LAST, NONE, Rows
from highwater.harness.tables import LARGEST

Subscribed = tuple[int, str, Sequence[str]]  # when, who, what it reads from then on


class Told(NamedTuple):
    """By a member: that it was assigned a partition, or ceased to hold it."""

    group: str
    place: Place
    client: str
    at_ns: int
    what: str
    generation: int | None = None


@dataclass(frozen=True, slots=True)
class Fates:
    """Of clients, by a timeline: when each was killed or told to stop, and from when to when it was
    frozen or busy, in the order of time. `groups` has those of which a group is told, and
    `unacked_since` from when on nothing had been acknowledged to the process in whose place one was
    started.
    """

    killed: Mapping[str, int] = field(default_factory=dict)
    stopped: Mapping[str, int] = field(default_factory=dict)
    groups: Mapping[str, str] = field(default_factory=dict)
    frozen: Mapping[str, Sequence[tuple[int, int]]] = field(default_factory=dict)
    topics: Sequence[Subscribed] = ()
    unacked_since: Mapping[str, int] = field(default_factory=dict)

    def is_to_stop(self, client: str, at_ns: int) -> bool:
        """By then. Who was killed was never told: its group reads on what it was to read."""
        return at_ns >= self.stopped.get(client, LAST)


@dataclass(frozen=True, slots=True)
class Course:
    """Of a group: from when to when it was ending, in order, and what it was to read."""

    ends: Sequence[tuple[int, int]]
    subscribed: Sequence[Subscribed]
    fates: Fates

    def anew_ns(self, at_ns: int) -> int:
        """When it began again, if it was ending at that time or before; else that time."""
        last = bisect_right(self.ends, (at_ns, LAST)) - 1
        return self.ends[last][1] if last >= 0 else at_ns

    def is_to_read(self, topic: str, at_ns: int) -> bool:
        """By what was told last to a member that was not to stop by then."""
        told = [
            topics
            for since_ns, client, topics in self.subscribed
            if since_ns <= at_ns and not self.fates.is_to_stop(client, at_ns)
        ]
        return not told or topic in told[-1]

    def left_out(self, topic: str) -> list[tuple[int, int]]:
        """From when to when the group was ending, or was not to read that topic; they may overlap.

        LAST: to the end.
        """
        moments = {at_ns for at_ns, *_ in self.subscribed}
        moments |= {self.fates.stopped.get(client, LAST) for _, client, _ in self.subscribed}
        spans = pairwise(sorted(moments | {LAST}))
        unread = [span for span in spans if not self.is_to_read(topic, span[0])]
        return [*self.ends, *unread]


def told_of(assignments: Rows | None) -> list[Told]:
    """In the order of time."""
    if assignments is None:
        return []
    names = ("client", "at_ns", "what", "generation")
    found = [
        Told(
            group,
            place,
            str(rows.text("client", client)),
            at_ns,
            str(rows.text("what", what)),
            None if generation == NONE else generation,
        )
        for (place, group), rows in by_group(assignments).items()
        for client, at_ns, what, generation in zip(
            *(rows[name].tolist() for name in names), strict=True
        )
    ]
    return sorted(found, key=lambda one: one.at_ns)


def fates_of(events: Sequence[Mapping[str, Any]]) -> Fates:
    killed: dict[str, int] = {}
    stopped: dict[str, int] = {}
    groups: dict[str, str] = {}
    frozen: dict[str, list[tuple[int, int]]] = defaultdict(list)
    topics: list[Subscribed] = []
    for each in events:
        if each["kind"] == "client" and isinstance(each.get("client"), str):
            client, at_ns = each["client"], each["at_ns"]
            match each.get("event"):
                case "killed":
                    killed[client] = at_ns
                case "stopping":
                    stopped[client] = at_ns
                    groups |= {client: group} if isinstance(group := each.get("group"), str) else {}
                case "subscribed" | "started" if isinstance(told := each.get("topics"), list):
                    topics.append((at_ns, client, [*map(str, told)]))
                case "paused" | "busy" | "resumed":
                    _hear_nothing(frozen[client], each)
    spans = {client: sorted(each) for client, each in frozen.items()}
    return Fates(killed, stopped, groups, spans, topics, _unacked_since(events))


def _hear_nothing(spans: list[tuple[int, int]], event: Mapping[str, Any]) -> None:
    """Who is frozen, and who is busy, does not hear what becomes of its partitions.

    Who is told to be busy while it is, is so when it has been.
    """
    at_ns = event["at_ns"]
    if event["event"] == "paused":
        spans.append((at_ns, LAST))
    elif event["event"] == "busy":
        since_ns = max([at_ns, *(until_ns for _, until_ns in spans if until_ns != LAST)])
        spans.append((at_ns, since_ns + _busy_ns(event.get("for_s"))))
    else:
        spans[:] = [(since, at_ns if until == LAST else until) for since, until in spans]


def _busy_ns(for_s: object) -> int:
    """What is no length of time is none."""
    if not isinstance(for_s, int | float) or isinstance(for_s, bool):
        return 0
    return round(for_s * 1e9) if 0 <= for_s <= LARGEST / 1e9 else 0


def _unacked_since(events: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    found: dict[str, int] = {}
    for each in events:
        client, since_ns = each.get("client"), each.get("gap_since_ns")
        if isinstance(client, str) and type(since_ns) is int and abs(since_ns) <= LARGEST:
            found[client] = since_ns
    return found


def course_of(group: str, told: Sequence[Told], fates: Fates) -> Course:
    """`told` is what its own members told."""
    members = {one.client for one in told}
    members |= {client for client, its in fates.groups.items() if its == group}
    subscribed = [each for each in fates.topics if each[1] in members]
    return Course(_ends(told, members, fates), subscribed, fates)


def _ends(told: Sequence[Told], members: set[str], fates: Fates) -> list[tuple[int, int]]:
    """From when a member was told to stop until one was assigned something that was not; LAST: no
    more.
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
