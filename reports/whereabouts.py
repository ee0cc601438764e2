"""Where a record was when: by its sender, its readers, looks at replicas, and their logs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from highwater.reports.contents import RunContents
from highwater.reports.cuts import Cut, Place
from highwater.reports.samples import Sample
from highwater.reports.subjects import Subject
from highwater.reports.wording import seconds, shortened

MOST_OPERATIONS = 6  # of a record, on the page
MOST_STRETCHES = 4
MOST_ROWS = 5000  # of the tables, for all anomalies of a run
THIS = "this record"
UNREAD = "not in the record"
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Held:
    """One replica: when its log reached past the offset, what cut it, what is there at the end."""

    broker: int
    stretches: str
    cut: Sequence[Cut]
    at_the_end: str


@dataclass(frozen=True)
class Records:
    """What the tables have of some records, asked for once: tables may have millions of others."""

    operations: Sequence[Row]
    stored: Sequence[Row]
    was_read: frozenset[tuple[str, int, int]]  # topic, partition, broker: those with a log at all

    def sends(self, subject: Subject) -> list[Row]:
        return self._operations(subject, "send")

    def reads(self, subject: Subject) -> list[Row]:
        return self._operations(subject, "poll")

    def _operations(self, subject: Subject, action: str) -> list[Row]:
        if subject.value is None:
            return []
        found = [
            each
            for each in self.operations
            if each["action"] == action and each["value"] == subject.value
        ]
        return found[: MOST_OPERATIONS + 1]

    def at_the_end(self, place: Place, broker: int, subject: Subject) -> str:
        """What that replica's log has at the offset."""
        if (*place, broker) not in self.was_read:
            return UNREAD
        there = [
            each
            for each in self.stored
            if (each["topic"], each["partition"], each["broker"]) == (*place, broker)
        ]
        here = [each for each in there if each["offset"] == subject.offset]
        same = [each["offset"] for each in there if each["value"] == subject.value]
        if same and subject.value is not None:
            return THIS if subject.offset in same else f"{THIS}, at offset {same[0]}"
        return "another record: " + _other(here[0]) if here else "nothing"


def _superseded(history: Sequence[Row]) -> list[Row]:
    """Without what was written down before its outcome was known, where that is known."""
    keys = ("op", "client", "value", "invoked_ns")
    known = {tuple(each[key] for key in keys) for each in history if each["outcome"] != "invoked"}
    return [
        each
        for each in history
        if each["outcome"] != "invoked" or tuple(each[key] for key in keys) not in known
    ]


def _other(row: Row) -> str:
    if row["is_control"]:
        return "a marker of a transaction"
    epoch = "" if row["leader_epoch"] is None else f", epoch {row['leader_epoch']}"
    return f"value {row['value']}{epoch}"


def records(contents: RunContents, asked: Iterable[Subject]) -> Records:
    subjects = [each for each in asked if each.place]
    values = pa.array(sorted({v for each in subjects if (v := each.value) is not None}), pa.int64())
    offsets = pa.array(
        sorted({o for each in subjects if (o := each.offset) is not None}), pa.int64()
    )
    is_asked = pc.is_in(pc.field("value"), value_set=values)
    history = contents.tables["history"].filter(is_asked)
    logs = contents.tables["replica_logs"]
    here = pc.is_in(pc.field("offset"), value_set=offsets)
    stored = logs.filter(is_asked | here)
    empty = {
        (topic, partition, broker)
        for topic, partition, broker, end, start in contents.rows(
            "replica_ends", "topic", "partition", "broker", "log_end_offset", "log_start_offset"
        )
        if end is not None and end == (start or 0)
    }
    return Records(
        _superseded(history.slice(0, MOST_ROWS).to_pylist()),
        stored.slice(0, MOST_ROWS).to_pylist(),
        frozenset(contents.logs_read() | empty),
    )


def is_gone(rows: Sequence[Held], leader: int | None) -> bool:
    """Whether the record is known not to be in the log of that replica at the end."""
    ends = [each.at_the_end for each in rows if each.broker == leader]
    return bool(ends) and not ends[0].startswith((THIS, UNREAD))


def held(
    subject: Subject, found: Records, looks: Sequence[Sample], cut: Sequence[Cut]
) -> list[Held]:
    """A row for each replica of the partition that anybody looked at, or has a log of."""
    place, offset = subject.place, subject.offset
    if place is None or offset is None:
        return []
    brokers = {each.broker for each in looks}
    brokers |= {broker for topic, number, broker in found.was_read if (topic, number) == place}
    return [
        Held(
            broker,
            stretches([each for each in looks if each.broker == broker], offset),
            [each for each in cut if each.broker == broker and each.took(offset)],
            found.at_the_end(place, broker, subject),
        )
        for broker in sorted(brokers)
    ]


def stretches(looks: Sequence[Sample], offset: int) -> str:
    """When its log reached past the offset, by looks: silence ends nothing, for nobody knows."""
    known = [each for each in looks if each.log_end_offset is not None]
    if not known:
        return "nobody looked, or it never answered"
    spans: list[tuple[int, int, int | None]] = []  # from, last seen, seen without it
    begun: Sample | None = None
    last: Sample | None = None
    for look in known:
        if (look.log_end_offset or 0) > offset:
            begun, last = begun or look, look
        elif begun and last:
            spans.append((begun.at_ns, last.until_ns, look.at_ns))
            begun = None
    if begun and last:
        spans.append((begun.at_ns, last.until_ns, None))
    if not spans:
        return f"never, by looks from {seconds(known[0].at_ns)} s on"
    said = [_span(*each) for each in spans[:MOST_STRETCHES]]
    return "; ".join(said) + (" and later again" if len(spans) > MOST_STRETCHES else "")


def _span(since_ns: int, until_ns: int, without_ns: int | None) -> str:
    said = f"{seconds(since_ns)} to {seconds(until_ns)} s"
    return said if without_ns is None else f"{said}, not any more at {seconds(without_ns)} s"


def operation(row: Row) -> str:
    """One send or poll in words."""
    began, ended = row["invoked_ns"], row["completed_ns"]
    when = f"{seconds(began)} s" if ended is None else f"{seconds(began)} to {seconds(ended)} s"
    where = "" if row["offset"] is None else f" at offset {row['offset']}"
    client = shortened(row["client"], 60)
    if row["action"] == "poll":
        return f"{client}, {when},{where} of {row['topic']}-{row['partition']}".replace(",,", ",")
    outcome = {"ok": "acknowledged", "invoked": "not answered"}.get(row["outcome"], row["outcome"])
    error = f": {shortened(row['error'], 120)}" if row["error"] else ""
    return f"{client}, acks={row['acks'] or '?'}, {when}, {outcome}{where}{error}"
