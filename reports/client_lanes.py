"""Clients on the timeline: when each of them lived, and which partitions it was assigned."""

from __future__ import annotations

from collections.abc import Sequence

from highwater.reports.axis import RIGHT, TimeAxis
from highwater.reports.contents import Event
from highwater.reports.lanes import CHARACTER, Bar, Lane, Mark
from highwater.reports.wording import seconds, shortened

MOST_CLIENTS = 12
STATES = {"started": "running", "resumed": "running", "paused": "paused", "killed": "", "ended": ""}
LONGEST_LABEL = 30


def client_lanes(events: Sequence[Event], axis: TimeAxis) -> tuple[list[Lane], str]:
    """A lane for each of the first clients, and how many more there were, in words."""
    own: dict[str, list[Event]] = {}
    for event in events:
        if event.get("kind") == "client" and isinstance(event.get("client"), str):
            own.setdefault(str(event["client"]), []).append(event)
    lanes = [_lane(client, told, axis) for client, told in list(own.items())[:MOST_CLIENTS]]
    more = len(own) - MOST_CLIENTS
    return lanes, (f"{more} more clients took part." if more > 0 else "")


def _lane(client: str, events: Sequence[Event], axis: TimeAxis) -> Lane:
    bars: list[Bar] = []
    marks: list[Mark] = []
    state, start = "", 0.0
    for event in events:
        happened, x = str(event.get("event")), axis.x(event["at_ns"])
        if happened not in STATES:
            continue
        bars += _bar(state, start, x)
        state, start = STATES[happened], x
        if happened == "killed":
            marks.append(Mark(x, "✕ killed", "gone", f"{seconds(event['at_ns'])} s: {client}"))
    bars += _bar(state, start, float(RIGHT))
    return Lane(shortened(client, LONGEST_LABEL), bars, marks, _assigned(events, axis), "broker")


def _bar(state: str, start: float, end: float) -> list[Bar]:
    if not state or end - start < 0.5:
        return []
    return [Bar(start, round(end - start, 1), state, "" if state == "running" else state, state)]


def _assigned(events: Sequence[Event], axis: TimeAxis) -> list[Bar]:
    """A stretch for each set of partitions that it had."""
    stretches: list[Bar] = []
    held: set[tuple[str, int]] = set()
    start = 0.0
    for event in events:
        before, named = set(held), _partitions(event)
        happened = event.get("event")
        if happened == "assigned":
            held |= named
        elif happened in ("revoked", "lost"):
            held -= named
        elif happened in ("killed", "ended"):
            held = set()
        if held != before:
            x = axis.x(event["at_ns"])
            stretches += _stretch(before, start, x)
            start = x
    return stretches + _stretch(held, start, float(RIGHT))


def _partitions(event: Event) -> set[tuple[str, int]]:
    listed = event.get("partitions")
    pairs = listed if isinstance(listed, list) else []
    return {(str(each[0]), int(each[1])) for each in pairs if _is_pair(each)}


def _is_pair(each: object) -> bool:
    return isinstance(each, list) and len(each) == 2 and isinstance(each[1], int)


def _stretch(held: set[tuple[str, int]], start: float, end: float) -> list[Bar]:
    width = round(end - start, 1)
    if not held or width < 0.5:
        return []
    numbers = ", ".join(str(number) for _topic, number in sorted(held))
    wordings = (f"partitions {numbers}", numbers)
    label = next((each for each in wordings if len(each) * CHARACTER + 6 <= width), "")
    return [Bar(start, width, "led", label, f"assigned: {numbers}")]
