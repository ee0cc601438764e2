"""Puts what the gate and the brokers do on the record, for as long as a play lasts."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from highwater.harness.cluster import LINKS, NODES, Cluster
from highwater.harness.errors import ENVIRONMENT, in_words
from highwater.harness.gate.headers import FETCH
from highwater.harness.gate.hub import Event
from highwater.harness.gate.rows import Hear, Row, Rows
from highwater.harness.record.writer import RunRecord
from highwater.harness.versions.jars import message_jars

# Gate events that tell the story; the rest are connections coming and going.
TOLD_EVENTS = frozenset(
    {"standing", "passed", "dropped", "armed", "seen", "cut", "delayed", "answered", "unreadable"}
)


@contextmanager
def heard(cluster: Cluster, record: RunRecord) -> Generator[None]:
    """What the gate and the brokers do goes into this record meanwhile."""
    with ExitStack() as stack:
        if LINKS in cluster.has:
            stack.enter_context(_listening(cluster.gate, _gate_recorder(record)))
            if cluster.gate.rows.is_between:
                stack.enter_context(_seeing(cluster.gate.rows, record))
        if NODES in cluster.has:
            stack.enter_context(_listening(cluster.nodes, _broker_recorder(record)))
        yield


@contextmanager
def _seeing(rows: Rows, record: RunRecord) -> Generator[None]:
    """What clients ask is put on the record; where nobody can say how it is read, that is."""
    with rows.heard_by(_row_recorder(record)):
        _see(rows, record, message_jars)
        try:
            yield
        finally:  # whatever has ended the play, its record has what was asked until then
            _see(rows, record, list)


def _see(rows: Rows, record: RunRecord, jars: Callable[[], Sequence[Path]]) -> None:
    """A gate that has died is noticed by whoever needs it."""
    try:
        rows.see(jars())
    except ENVIRONMENT as error:
        record.event("note", f"what clients ask is not recorded: {in_words(error)}")


def _row_recorder(record: RunRecord) -> Hear:
    def hear(table: str, row: Row) -> None:
        asked_ns = row["asked_ns"] - record.origin_ns
        answered_ns = row["answered_ns"] and row["answered_ns"] - record.origin_ns
        named = {"topic": record.name_of(row["topic"], asked_ns)} if "topic" in row else {}
        record.row(table, {**row, **named, "asked_ns": asked_ns, "answered_ns": answered_ns})

    return hear


@contextmanager
def _listening(source: Any, hear: Callable[..., None]) -> Generator[None]:
    before, source.on_event = source.on_event, hear
    try:
        yield
    finally:
        source.on_event = before


def _gate_recorder(record: RunRecord) -> Callable[[Event], None]:
    def hear(event: Event) -> None:
        if event["event"] == "warning":
            record.event_at(int(event["at_ns"]) - record.origin_ns, "note", event["text"], {})
        if event["event"] in TOLD_EVENTS:
            at_ns = int(event["at_ns"]) - record.origin_ns
            told = {key: value for key, value in event.items() if key not in {"at_ns", "seq"}}
            record.event_at(at_ns, "gate", _in_words(event), told)
            if event["event"] == "seen" and event["api"] == FETCH and event["follower"] is not None:
                _keep_fetches(record, at_ns, event)

    return hear


def _keep_fetches(record: RunRecord, at_ns: int, event: Event) -> None:
    for partition in event["partitions"]:
        record.row(
            "fetches",
            {
                "at_ns": at_ns,
                "stage": event["stage"],
                "leader": event["leader"],
                "follower": event["follower"],
                "topic": record.name_of(partition["topic"], at_ns),
                "partition": partition["partition"],
                "fetch_offset": partition["fetch_offset"],
                "high_watermark": partition.get("high_watermark"),
                "record_bytes": partition.get("record_bytes"),
            },
        )


def _broker_recorder(record: RunRecord) -> Callable[[int, str], None]:
    def hear(broker: int, event: str) -> None:
        record.event("broker", f"broker {broker} {event}", broker=broker, event=event)

    return hear


def _in_words(event: Event) -> str:
    asking = event.get("client_id") if event.get("follower") is None else event["follower"]
    who = f"{asking} -> {event.get('leader')}"
    return f"{event['event']}: {event.get('stage', '')} of link {who} ({event.get('rule', '')})"
