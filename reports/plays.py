"""What a play did and saw, step by step, in words that two runs of it have in common."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from highwater.reports.contents import Event, RunContents
from highwater.reports.cuts import Cut, Place
from highwater.reports.told import SAID_BY_BROKERS
from highwater.reports.wording import seconds, shortened

MOST_MOMENTS = 80
GONE = frozenset({"killed", "terminated", "exited", "paused", "resumed"})
LONGEST = 160

Offsets = Mapping[str, int]  # by broker; those that did not answer are not in it


@dataclass(frozen=True, slots=True)
class Moment:
    """`words` are the same in two runs that do the same; the rest may differ."""

    words: str
    at_ns: int
    outcome: str = ""  # what came of it, where that is a word
    ends: Offsets | None = None  # log end offsets, where replicas were looked at
    marks: Offsets | None = None  # high watermarks
    led: str = ""
    is_loss: bool = False  # a log was cut below what was acknowledged

    @property
    def said(self) -> str:
        known = [
            f"{name} {' '.join(f'{broker}:{offset}' for broker, offset in offsets.items())}"
            for name, offsets in (("LEO", self.ends), ("HW", self.marks))
            if offsets
        ]
        return " · ".join([*known, *([self.led] if self.led else []), self.outcome]).strip(" ·")

    @property
    def at(self) -> str:
        return seconds(self.at_ns)


def moments(contents: RunContents, place: Place | None, cut: Sequence[Cut]) -> list[Moment]:
    """In the order of time; of a long run the first ones."""
    name = f"{place[0]}-{place[1]}" if place else ""
    found = [*_of_events(contents.events, name)]
    if place:
        found += [_of_cut(each, contents, place) for each in cut]
    return sorted(found, key=lambda each: each.at_ns)[:MOST_MOMENTS]


def _of_events(events: Sequence[Event], name: str) -> Iterator[Moment]:
    for event in events:
        words = _words(event)
        if words:
            words = words.replace(name, "the partition") if name else words
            yield Moment(
                shortened(words, LONGEST),
                int(event["at_ns"]),
                _outcome(event),
                _offsets(event, "log_end_offsets"),
                _offsets(event, "high_watermarks"),
                _led(event),
            )


def _words(event: Event) -> str:
    kind, text = event.get("kind"), str(event.get("text", ""))
    if kind in ("step", "precondition"):
        return text
    if kind == "send":
        return text.partition(":")[0]
    if kind == "read":
        return "the final read"
    if kind == "fault":
        name = str(event.get("fault", text))
        is_told = event.get("phase") == "opened" and name.partition("(")[0] not in SAID_BY_BROKERS
        return name if is_told else ""
    return text if kind == "broker" and event.get("event") in GONE else ""


def _outcome(event: Event) -> str:
    kind = event.get("kind")
    if kind == "precondition":
        return "" if event.get("met") else "NOT met"
    if kind == "send":
        return f"{event.get('acked')} acknowledged, to offset {event.get('end_offset')}"
    if kind == "read":
        positions = event.get("positions")
        ends = positions.values() if isinstance(positions, Mapping) else [event.get("position")]
        return f"to offset {', '.join(map(str, ends))}"
    return ""


def _offsets(event: Event, name: str) -> Offsets | None:
    observed = event.get("observed")
    told = observed.get(name) if isinstance(observed, Mapping) else None
    if not isinstance(told, Mapping):
        return None
    return {str(broker): offset for broker, offset in told.items() if type(offset) is int}


def _led(event: Event) -> str:
    observed: Any = event.get("observed")
    if not isinstance(observed, Mapping) or type(observed.get("leader")) is not int:
        return ""
    epoch, isr = observed.get("leader_epoch"), observed.get("isr")
    in_sync = " ".join(map(str, sorted(isr))) if isinstance(isr, list) else "?"
    return f"{observed['leader']} leads, epoch {epoch}, ISR {in_sync}"


def _of_cut(cut: Cut, contents: RunContents, place: Place) -> Moment:
    acked = cut.acknowledged(contents, place)
    outcome = f"to offset {cut.to_offset}, {acked:,} acknowledged offsets cut off"
    return Moment(
        f"broker {cut.broker} cuts its log", cut.at_ns, outcome, is_loss=acked > 0
    )  # fmt: skip
