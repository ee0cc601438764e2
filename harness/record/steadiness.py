"""From when on, by a timeline, nothing was done to a cluster, or to a group until it was to stop.

Something is done when a fault is in effect, a broker or a member comes or goes, is frozen or kept
busy, a topic is changed, or a member is told to read others. What cannot be known is left out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

NEVER = -1 << 62
# What the lines of events have in them that say so.
MARKS = (b'"client"', *(f'"kind": "{kind}"'.encode() for kind in ("fault", "broker", "step")))
OF_MEMBERS = {"started", "killed", "paused", "resumed", "subscribed", "leaving", "ended"}


@dataclass(slots=True)
class _Seen:
    """What has been told so far, and of groups that have ended what was so then."""

    faults: set[Any] = field(default_factory=set)  # in effect
    frozen: set[str] = field(default_factory=set)  # or they can do nothing more
    stopping: set[str] = field(default_factory=set)
    done_ns: int = NEVER  # to the cluster, last
    members: dict[str, dict[str, None]] = field(default_factory=lambda: defaultdict(dict))
    changed_ns: dict[str, int] = field(default_factory=dict)  # by client
    busy_ns: dict[str, int] = field(default_factory=dict)  # until when a client may be busy
    topics: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))  # by group
    subscribed: dict[str, list[str]] = field(default_factory=dict)  # by client
    ends_ns: dict[str, int] = field(default_factory=dict)  # when the first member was to stop
    ended: dict[str, dict[str, Any]] = field(default_factory=dict)


def steady_groups(events: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """By group.id, as run.json has it."""
    seen = _Seen()
    for event in sorted(events, key=lambda event: event["at_ns"]):
        match event["kind"]:
            case "fault":
                _fault(seen, event)
            case "broker" | "step" if event["kind"] == "broker" or "to" in event:
                seen.done_ns = event["at_ns"]
            case "client":
                _client(seen, event)
    return {name: told for name, told in seen.ended.items() if told}


def disturbed_ns(events: Iterable[Mapping[str, Any]]) -> list[int]:
    """When a fault began or ended, and when a broker came, went or was frozen, in order.

    That a broker serves is told whenever somebody waits for it: that changes something where it
    had not served before.
    """
    times, away = set[int](), set[Any]()
    for event in sorted(events, key=lambda event: event["at_ns"]):
        if event["kind"] == "fault":
            times.add(event["at_ns"])
        elif event["kind"] == "broker" and (event["event"] != "serving" or event["broker"] in away):
            times.add(event["at_ns"])
            (away.discard if event["event"] == "serving" else away.add)(event["broker"])
    return sorted(times)


def healed_ns(events: Iterable[Mapping[str, Any]]) -> int | None:
    """From when on no fault was in effect, and no broker came or went; None: nobody knows."""
    seen, told = _Seen(), sorted(events, key=lambda event: event["at_ns"])
    for event in told:
        if event["kind"] == "fault":
            _fault(seen, event)
    return None if seen.faults else max([0, *disturbed_ns(told)])


def _fault(seen: _Seen, event: Mapping[str, Any]) -> None:
    seen.done_ns = event["at_ns"]
    if event["phase"] in ("opened", "unhealed"):
        seen.faults.add(event["id"])
    else:
        seen.faults.discard(event["id"])


def _client(seen: _Seen, event: Mapping[str, Any]) -> None:
    client, what = event["client"], event["event"]
    if event.get("group") is not None:
        _member(seen, client, event)
    if what in OF_MEMBERS:
        seen.changed_ns[client] = event["at_ns"]
    if what == "busy":
        _busy(seen, client, event)
    if what in ("started", "subscribed") and "topics" in event:
        seen.subscribed[client] = list(event["topics"])
    elif what in ("paused", "fatal"):
        seen.frozen.add(client)
    elif what in ("resumed", "killed"):
        seen.frozen.discard(client)
    if what in ("killed", "leaving"):
        seen.subscribed.pop(client, None)  # what others are told later is not for it
        seen.busy_ns.pop(client, None)


def _busy(seen: _Seen, client: str, event: Mapping[str, Any]) -> None:
    """From the poll on that it is at, or when it is not busy any more."""
    since_ns = max(event["at_ns"], seen.busy_ns.get(client, NEVER))
    seen.busy_ns[client] = since_ns + round(event["for_s"] * 1e9)


def _member(seen: _Seen, client: str, event: Mapping[str, Any]) -> None:
    """What a member is assigned while it is to stop is a matter of the end, as others leave."""
    what, group = event["event"], event["group"]
    seen.members[group][client] = None
    if what == "assigned":
        seen.topics[group] |= {topic for topic, _ in event["partitions"]}
        if client not in seen.stopping and seen.ends_ns.pop(group, None) is not None:
            seen.ended.pop(group, None)  # another one of that name, or it went on
            for each in seen.stopping & seen.members[group].keys():
                seen.subscribed.pop(each, None)  # what others are to read is not for it
    elif what == "stopping":  # of each of them, before the first one stops
        seen.stopping.add(client)
        first_ns = seen.ends_ns.setdefault(group, event["at_ns"])
        seen.ended[group] = _at_its_end(seen, group, first_ns)


def _at_its_end(seen: _Seen, group: str, at_ns: int) -> dict[str, Any]:
    """Nothing where a fault was in effect, or a member frozen."""
    members = seen.members[group]
    if seen.faults or not seen.frozen.isdisjoint(members):
        return {}
    told = [set(seen.subscribed[each]) for each in members if each in seen.subscribed]
    topics = set.intersection(*told) if told else seen.topics[group]
    own = (
        each.get(client, NEVER) for each in (seen.changed_ns, seen.busy_ns) for client in members
    )
    since_ns = max([seen.done_ns, *own])
    return {"since_ns": since_ns, "until_ns": at_ns, "topics": sorted(topics)}
