"""What stands around a moment: broker log lines, what the gate did, faults, processes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from highwater.reports.contents import Event
from highwater.reports.cuts import Place, is_about
from highwater.reports.told import said
from highwater.reports.wording import seconds, shortened

MOST = 12
KINDS = frozenset({"log", "gate", "fault", "broker", "metadata"})


@dataclass(frozen=True, slots=True)
class Beside:
    line: int  # the number of the event
    at: str
    kind: str
    text: str
    is_quote: bool  # a broker's own words


@dataclass(frozen=True, slots=True)
class Around:
    id: str
    at: str
    rows: Sequence[Beside]


def around(
    events: Sequence[Event], place: Place | None, at_ns: int | None, link: str
) -> Around | None:
    """The nearest ones, as they followed one another; None where there are none."""
    if at_ns is None:
        return None
    known = [
        (number, event) for number, event in enumerate(events) if _counts(event, place)
    ]  # fmt: skip
    nearest = sorted(known, key=lambda each: (abs(int(each[1]["at_ns"]) - at_ns), each[0]))[:MOST]
    rows = [_beside(number, event) for number, event in sorted(nearest, key=lambda each: each[0])]
    return Around(f"{link}-around", seconds(at_ns), rows) if rows else None


def _counts(event: Event, place: Place | None) -> bool:
    kind = event.get("kind")
    if kind not in KINDS or event.get("event") == "seen":
        return False
    if place is None or kind in ("fault", "broker"):
        return True
    if kind == "log":
        return is_about(place, str(event.get("text")))
    partitions = event.get("partitions")
    if kind != "gate" or not isinstance(partitions, list):
        return bool(kind == "metadata")
    return any(
        isinstance(each, dict) and (each.get("topic"), each.get("partition")) == place
        for each in partitions
    )


def _beside(number: int, event: Event) -> Beside:
    kind = str(event.get("kind"))
    text = str(event.get("text", ""))
    if kind == "log":
        broker = f"broker {event['broker']}: " if "broker" in event else ""
        return Beside(number, seconds(event["at_ns"]), kind, f"{broker}{shortened(text)}", True)
    return Beside(number, seconds(event["at_ns"]), kind, shortened(said(event) or text, 240), False)
