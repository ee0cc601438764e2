"""The events of a run as rows of a table: what the play did, and what the brokers said to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from highwater.reports.contents import Event
from highwater.reports.wording import api_name, compact, seconds, shortened

MOST_ROWS = 200
# Kept whatever their number, before others are dropped from a long run.
TELLING = frozenset({"step", "precondition", "fault", "broker", "log", "note", "send", "client"})
BAD_PHASES = frozenset({"failed", "unhealed", "killed", "exited", "dropped", "cut"})
SHOWN_ELSEWHERE = frozenset({"at_ns", "kind", "text"})


@dataclass(frozen=True, slots=True)
class Row:
    at: str
    line: int  # the number of the event, or of the first of those that are merged
    kind: str
    text: str
    detail: str
    step: int | None = None  # as numbered above the timeline
    is_bad: bool = False
    repeats: int = 1


@dataclass(frozen=True, slots=True)
class EventTable:
    rows: Sequence[Row]
    kinds: Mapping[str, int]
    left_out: str


def event_table(events: Sequence[Event], needed: frozenset[int] = frozenset()) -> EventTable:
    """Of a long run the first ones, and those whose numbers are `needed`: something leads there."""
    rows = list(_merged(_numbered(events), needed))
    kinds = Counter(row.kind for row in rows)
    if len(rows) <= MOST_ROWS:
        return EventTable(rows, kinds, "")
    kept = _most_telling(rows, needed)
    dropped = kinds - Counter(row.kind for row in kept)
    said = ", ".join(f"{count} {kind}" for kind, count in dropped.items())
    left_out = f"{sum(dropped.values()):,} rows left out ({said}); all are in events.jsonl."
    return EventTable(kept, Counter(row.kind for row in kept), left_out)


def _most_telling(rows: Sequence[Row], needed: frozenset[int]) -> list[Row]:
    room = MOST_ROWS - sum(row.kind in TELLING for row in rows)
    kept: list[Row] = []
    for row in rows:
        if row.kind not in TELLING:
            room -= 1
        if row.kind in TELLING or room >= 0 or row.line in needed:
            kept.append(row)
    return [row for place, row in enumerate(kept) if place < MOST_ROWS or row.line in needed]


def _numbered(events: Sequence[Event]) -> Iterator[Row]:
    steps = 0
    for line, event in enumerate(events):
        kind = str(event.get("kind", "note"))
        steps += kind == "step"
        yield Row(
            seconds(event["at_ns"]),
            line,
            kind,
            shortened(str(event.get("text", ""))),
            _detail(event),
            steps if kind == "step" else None,
            _is_bad(event),
        )


def _merged(rows: Iterator[Row], needed: frozenset[int]) -> Iterator[Row]:
    """Repeated gate lines of the same words become one, with their number."""
    pending: Row | None = None
    for row in rows:
        same = pending and row.kind == pending.kind == "gate" and row.text == pending.text
        if pending and same and row.line not in needed:
            pending = replace(pending, repeats=pending.repeats + 1)
            continue
        if pending:
            yield pending
        pending = row
    if pending:
        yield pending


def _is_bad(event: Event) -> bool:
    if event.get("kind") == "precondition":
        return not event.get("met")
    return event.get("phase") in BAD_PHASES or event.get("event") in BAD_PHASES


def _detail(event: Event) -> str:
    kind = event.get("kind")
    if kind == "precondition":
        said = "met" if event.get("met") else "NOT MET"
        observed = event.get("observed")
        return f"{said}: {compact(observed)}" if observed else said
    if kind == "fault":
        proof = event.get("proof")
        words = [str(event.get("phase", "")), compact(proof) if proof else ""]
        return ": ".join(word for word in words if word)
    if kind == "gate":
        return _gate_detail(event)
    if kind == "broker":
        return _rest(event, SHOWN_ELSEWHERE | {"broker", "event"})
    if kind == "log":
        return f"broker {event['broker']}" if "broker" in event else ""
    return _rest(event, SHOWN_ELSEWHERE)


def _rest(event: Event, shown: frozenset[str]) -> str:
    rest = {key: value for key, value in event.items() if key not in shown}
    return compact(rest) if rest else ""


def _gate_detail(event: Event) -> str:
    words = [api_name(event["api"])] if event.get("api") is not None else []
    words += [str(event[key]) for key in ("stage", "event") if event.get(key)]
    if "leader" in event and "follower" in event:
        asking = event.get("client_id") if event["follower"] is None else event["follower"]
        words.append(f"{asking} ← {event['leader']}")
    partitions = event.get("partitions")
    if isinstance(partitions, list):
        words += [_gate_partition(each) for each in partitions[:4] if isinstance(each, Mapping)]
        words += [f"and {len(partitions) - 4} more partitions"] if len(partitions) > 4 else []
    return " ".join(words)


def _gate_partition(partition: Mapping[str, Any]) -> str:
    names = {"fetch_offset": "from", "high_watermark": "HW", "record_bytes": "bytes"}
    numbers = [
        f"{word} {partition[key]}" for key, word in names.items() if partition.get(key) is not None
    ]
    return f"[{partition.get('topic')}-{partition.get('partition')} {' '.join(numbers)}]"
