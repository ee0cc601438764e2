"""The fetch conversation around the critical moment, as a sequence diagram.

A row for each frame that the gate told of, and for what happened to brokers meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from highwater.reports.axis import LEFT, RIGHT
from highwater.reports.contents import Event, RunContents
from highwater.reports.cuts import Cut, Place
from highwater.reports.wording import seconds

TOP = 40
ROW_HEIGHT = 32
MOST_ROWS = 20
MOST_BEFORE = 13
MOST_BROKERS = 6
ASKED = {1: "FETCH", 23: "OFFSETS FOR LEADER EPOCH"}  # keys of Kafka's apis
HALFWAY = 0.4  # where the gate stands between two brokers
GONE = {"killed": "✕ killed", "terminated": "✕ shut down", "exited": "✕ ended", "paused": "frozen",
        "resumed": "goes on", "serving": "serves"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Happening:
    """A message where `to` says another broker, else a note at one broker (None: at nobody's)."""

    at_ns: int
    broker: int | None
    to: int | None
    label: str
    kind: str  # a CSS class: sent, held, dropped, note, gone, cut, reign


@dataclass(frozen=True, slots=True)
class Drawn:
    y: float
    at: str
    x: float
    end_x: float  # where the message got to
    label: str
    label_x: float
    kind: str
    words: str


@dataclass(frozen=True, slots=True)
class Sequences:
    title: str
    lifelines: Sequence[tuple[int, float]]
    rows: Sequence[Drawn]
    height: float
    left_out: int


def sequence(contents: RunContents, place: Place | None, cut: Sequence[Cut]) -> Sequences | None:
    """None where the gate told of no fetch of that partition."""
    if place is None:
        return None
    messages = list(_messages(contents, place))
    if not messages:
        return None
    notes = [*_of_brokers(contents.events), *_of_leaders(contents.events), *map(_of_cut, cut)]
    every = sorted([*messages, *notes], key=lambda each: each.at_ns)
    shown = _window(every, _critical_ns(contents, place, cut))
    brokers = sorted({each for row in shown for each in (row.broker, row.to) if each is not None})
    brokers = brokers[:MOST_BROKERS]
    lifelines = _lifelines(brokers)
    drawn = [_drawn(number, row, lifelines) for number, row in enumerate(_known(shown, brokers))]
    return Sequences(
        f"{place[0]}-{place[1]}",
        list(lifelines.items()),
        drawn,
        TOP + len(drawn) * ROW_HEIGHT + 12,
        len(every) - len(drawn),
    )


def _known(rows: Sequence[Happening], brokers: Sequence[int]) -> list[Happening]:
    return [row for row in rows if {row.broker, row.to} <= {*brokers, None}]


def _lifelines(brokers: Sequence[int]) -> dict[int, float]:
    room = (RIGHT - LEFT) / max(1, len(brokers))
    return {broker: round(LEFT + room * (number + 0.5), 1) for number, broker in enumerate(brokers)}


def _messages(contents: RunContents, place: Place) -> Iterator[Happening]:
    """What is seen and then let through is one message; one that stood is told twice."""
    told: set[tuple[object, ...]] = set()
    for event in contents.events:
        api, follower, leader = (event.get(name) for name in ("api", "follower", "leader"))
        partition = _partition(event, place)
        if event.get("kind") != "gate" or api not in ASKED or partition is None:
            continue
        if type(follower) is not int or type(leader) is not int:
            continue
        kind = _kind(event)
        frame = tuple(event.get(name) for name in ("connection", "correlation_id", "stage"))
        key = (*frame, leader, follower, kind)
        if not kind or key in told:
            continue
        told.add(key)
        ends = (leader, follower) if event.get("stage") == "response" else (follower, leader)
        yield Happening(int(event["at_ns"]), *ends, _label(event, partition, kind), kind)


def _kind(event: Event) -> str:
    happened = str(event.get("event"))
    if happened in ("seen", "armed", "delayed", "passed"):
        return "sent"
    return {"standing": "held", "dropped": "dropped", "cut": "dropped"}.get(happened, "")


def _partition(event: Event, place: Place) -> Mapping[str, Any] | None:
    listed = event.get("partitions")
    for each in listed if isinstance(listed, list) else []:
        if isinstance(each, Mapping) and (each.get("topic"), each.get("partition")) == place:
            return each
    return None


def _label(event: Event, partition: Mapping[str, Any], kind: str) -> str:
    said = _answer(partition) if event.get("stage") == "response" else _request(event, partition)
    wait_s = event.get("wait_s")
    late = f", {wait_s * 1000:g} ms later" if isinstance(wait_s, float) else ""
    ending = {"held": ": held at the gate", "dropped": ": never delivered"}.get(kind, late)
    return f"{said}{ending}"


def _request(event: Event, partition: Mapping[str, Any]) -> str:
    if event.get("api") == 23:
        return f"where does epoch {partition.get('leader_epoch', '?')} end?"
    return f"FETCH from offset {partition.get('fetch_offset', '?')}"


def _answer(partition: Mapping[str, Any]) -> str:
    words = []
    if partition.get("high_watermark") is not None:
        words.append(f"HW {partition['high_watermark']}")
    first, last = partition.get("first_offset"), partition.get("last_offset")
    if first is not None:
        words.append(f"record {first}" if first == last else f"records {first} to {last}")
    elif partition.get("record_bytes") == 0:
        words.append("no records")
    words += [
        f"{name.replace('_', ' ')} {partition[name]}"
        for name in ("leader_epoch", "end_offset", "diverging_epoch", "error")
        if name in partition and (name, partition[name]) != ("error", 0)
    ]
    return f"answer: {', '.join(words) or 'empty'}"


def _of_brokers(events: Sequence[Event]) -> Iterator[Happening]:
    for event in events:
        broker, words = event.get("broker"), GONE.get(str(event.get("event")))
        if event.get("kind") == "broker" and type(broker) is int and words:
            kind = "gone" if words.startswith("✕") else "note"
            yield Happening(int(event["at_ns"]), broker, None, words, kind)


def _of_leaders(events: Sequence[Event]) -> Iterator[Happening]:
    """Who leads by metadata that was awaited, and what was acknowledged meanwhile."""
    leader: int | None = None
    for event in events:
        told = event.get("leader")
        if event.get("kind") == "metadata" and type(told) is int:
            epoch = event.get("leader_epoch")
            leader = told
            words = "leads" if epoch is None else f"leads, epoch {epoch}"
            yield Happening(int(event["at_ns"]), leader, None, words, "reign")
        elif event.get("kind") == "send" and type(event.get("acked")) is int:
            words = f"{event['acked']:,} acknowledged"
            yield Happening(int(event["at_ns"]), leader, None, words, "note")


def _of_cut(cut: Cut) -> Happening:
    words = f"log cut to offset {cut.to_offset}"
    return Happening(cut.at_ns, cut.broker, None, words, "cut")


def _critical_ns(contents: RunContents, place: Place, cut: Sequence[Cut]) -> int | None:
    """The first log that was cut below what was acknowledged, else the first broker that died."""
    costly = [each.at_ns for each in cut if each.acknowledged(contents, place)]
    gone = [each.at_ns for each in _of_brokers(contents.events) if each.kind == "gone"]
    return next(iter([*costly, *gone]), None)


def _window(every: Sequence[Happening], at_ns: int | None) -> list[Happening]:
    if at_ns is None:
        return list(every[:MOST_ROWS])
    before = sum(each.at_ns <= at_ns for each in every)
    start = max(0, min(before - MOST_BEFORE, len(every) - MOST_ROWS))
    return list(every[start : start + MOST_ROWS])


def _drawn(number: int, row: Happening, lifelines: Mapping[int, float]) -> Drawn:
    y = TOP + number * ROW_HEIGHT + 20
    x = lifelines[row.broker] if row.broker is not None else float(LEFT)
    end = x if row.to is None else lifelines[row.to]
    reached = end if row.kind not in ("held", "dropped") else round(x + (end - x) * HALFWAY, 1)
    who = "" if row.broker is None else f"broker {row.broker}"
    to = "" if row.to is None else f" to broker {row.to}"
    words = f"{who}{to}: {row.label}" if who else row.label
    return Drawn(
        y, seconds(row.at_ns), x, reached, row.label, round((x + end) / 2, 1), row.kind, words
    )
