"""What clients say of themselves, as the record has it: rows of its tables, and their settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from highwater.harness.clients.process import Event
from highwater.harness.clients.shares import shared_rows
from highwater.harness.model import told_as

ROLES_OF_GROUPS = ("member", "pipe")
BESIDE = ("rate_per_s", "transactions", "command", "producer", "follows")  # settings, in an order


def settings_of(order: Mapping[str, Any]) -> dict[str, Any]:
    """What a client was told to be: of a load its producer's settings, its rate and transactions,
    and the command of an adapter that is not ours; of members when they commit, and the like.
    """
    return {**order["settings"], **{name: order[name] for name in BESIDE if name in order}}


def start_of(order: Mapping[str, Any], origin_ns: int) -> dict[str, Any]:
    """Of a client that begins: how it is set, what a member is to read, and for a load's next
    process from when on nothing had been acknowledged to the one before.
    """
    since_ns = order.get("gap_since_ns")
    waiting = {} if since_ns is None else {"gap_since_ns": since_ns - origin_ns}
    return {"settings": settings_of(order), **_to_read(order), **waiting}


def _to_read(order: Mapping[str, Any]) -> dict[str, Any]:
    """Of a member of a group; a share group has none that it is told to read instead."""
    if order["role"] not in ROLES_OF_GROUPS:
        return {}
    numbers = order["incarnations"]
    return {"topics": [told_as(topic, numbers.get(topic, 1)) for topic in order["topics"]]}


def line_of(client: str, happened: str, told: Mapping[str, Any]) -> str:
    """On the timeline: with the partitions that it is told of, and whose place it takes."""
    text = f"{client}: {happened}"
    if "partitions" in told:
        numbers = [str(number) for _topic, number in told["partitions"]]
        return f"{text} {', '.join(numbers) or 'nothing'}"
    if "for_s" in told:
        return f"{text} for {told['for_s']:g} s"
    before = told.get("settings", {}).get("follows")
    return f"{text} in the place of {before}" if before else text


def rows_of(client: str, event: Event, origin_ns: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """What a client says of itself, as rows of tables, whose names come first."""
    match event["event"]:
        case "processed":
            table, rows = "processed", _processed(client, event, origin_ns)
        case "flushed" | "unflushed":
            table, rows = "flushes", _flushed(client, event, origin_ns)
        case "handed" | "accepted" | "released":
            table, rows = "shares", shared_rows(client, event, origin_ns)
        case _:
            table, rows = "assignments", _dealt(client, event, origin_ns)
    return ((table, row) for row in rows)


def _flushed(client: str, event: Event, origin_ns: int) -> Iterator[dict[str, Any]]:
    """A flush that has ended, if its library says so; an adapter that waits by itself is none."""
    if event["own"] and event["flushed_ns"] is not None:
        times = {name: event[name] - origin_ns for name in ("asked_ns", "flushed_ns")}
        yield {"client": client, **times, "error": event["text"] or None}


def _processed(client: str, event: Event, origin_ns: int) -> Iterator[dict[str, Any]]:
    """What a member has finished with."""
    told = {"group": event["group"], "client": client}
    at_ns = event["at_ns"] - origin_ns
    for topic, partition, first, end in event["offsets"]:
        where = {"topic": topic, "partition": partition}
        yield {**told, **where, "first_offset": first, "end_offset": end, "completed_ns": at_ns}


def _dealt(client: str, event: Event, origin_ns: int) -> Iterator[dict[str, Any]]:
    """What a member was assigned, or holds no more."""
    at_ns = event["at_ns"] - origin_ns
    told = {"what": event["event"], "at_ns": at_ns, "generation": event["generation"]}
    for topic, partition in event["partitions"]:
        where = {"topic": topic, "partition": partition}
        yield {"group": event["group"], "client": client, **where, **told}
