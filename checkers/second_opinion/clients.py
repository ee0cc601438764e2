"""What clients were promised and told."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from highwater.checkers.second_opinion.record import (
    Opinion,
    Record,
    Row,
    by_identity,
    grouped,
    identity_of,
    opinion_of,
    place,
    placed,
    ran_backwards,
)

TENTH_NS = 100_000_000
STALLED_TENTHS = 300


def duplicate(record: Record) -> Opinion:
    kept = [row for leader in record.leaders.values() for row in leader.rows]
    sends = by_identity(record)
    copies = grouped((row for row in kept if row["value"] is not None), identity_of)
    counted = [
        row
        for identity, rows in copies.items()
        for row in rows
        if not 0 < len(rows) - 1 <= _failures(sends.get(identity, []))
        and not (len(rows) == 1 and _failures(sends.get(identity, [])))
    ]
    seen = [
        row
        for row in (*record.polls, *counted)
        if None not in {row["value"], row["offset"]} and row["offset"] >= 0
    ]
    promised = grouped(placed(record), identity_of)
    return opinion_of(
        len({row["offset"] for row in (*rows, *promised.get(identity, ()))}) > 1
        and not any(
            record.client(row["client"]).get("idempotence") is False
            for row in sends.get(identity, [])
        )
        for identity, rows in grouped(seen, identity_of).items()
    )


def _failures(sends: list[Row]) -> int:
    return sum(row["outcome"] == "failed" for row in sends)


def inconsistent_offsets(record: Record) -> Opinion:
    polled = [row for row in record.polls if row["offset"] is not None and row["offset"] >= 0]
    named = [row for row in (*polled, *placed(record)) if row["value"] is not None]
    offsets = grouped(named, lambda row: (place(row), row["offset"]))
    read = {(place(row), row["offset"]) for row in polled if row["value"] is not None}
    kept = grouped(
        (
            row
            for leader in record.leaders.values()
            for row in leader.rows
            if row["value"] is not None and row["problem"] is None
        ),
        lambda row: (place(row), row["offset"]),
    )
    return opinion_of(
        len({row["value"] for row in (*rows, *(kept.get(at, ()) if at in read else ()))}) > 1
        for at, rows in offsets.items()
    )


def phantom_read(record: Record) -> Opinion:
    written = {row["topic"] for row in record.sends}
    failed = {row["value"] for row in record.sends if row["outcome"] == "failed"}
    sends = by_identity(record)
    nameless = {place(row) for row in record.sends if row["value"] is None}

    def is_phantom(row: Row) -> bool | None:
        mine = sends.get(identity_of(row), [])
        if not mine and row["value"] not in failed:
            return None if place(row) in nameless else True
        if not mine:
            return False
        if row["completed_ns"] is None or row["completed_ns"] >= min(
            one["invoked_ns"] for one in mine
        ):
            return False
        return None if any(map(ran_backwards, (row, *mine))) else True

    return opinion_of(is_phantom(row) for row in _named(record) if row["topic"] in written)


def aborted_read(record: Record) -> Opinion:
    failed = {row["value"] for row in record.sends if row["outcome"] == "failed"}
    good = grouped((row for row in record.told if row["outcome"] != "failed"), identity_of)

    def may_be_other(row: Row) -> bool:
        stands = [one["offset"] for one in good.get(identity_of(row), [])]
        if row["offset"] is None or row["offset"] < 0:
            return bool(stands)
        nowhere = any(at is None or at < 0 for at in stands)
        known = [at for at in stands if at is not None and at >= 0]
        return nowhere or (bool(known) and row["offset"] in {min(known), max(known)})

    found = opinion_of(
        row["value"] in failed and not may_be_other(row)
        for row in _named(record)
        if not record.reads_uncommitted(row)
    )
    nameless = [row for row in record.sends if row["value"] is None]
    return replace(found, doubts=_failures(nameless))


def _named(record: Record) -> Iterator[Row]:
    return (row for row in record.polls if row["value"] is not None)


def nonmonotonic_send(record: Record) -> Opinion:
    return opinion_of(
        None
        if ran_backwards(row)
        else any(
            earlier["completed_ns"] is not None
            and not ran_backwards(earlier)
            and earlier["completed_ns"] < row["invoked_ns"]
            and earlier["offset"] > row["offset"]
            for earlier in sends
        )
        for sends in grouped(placed(record), lambda row: (place(row), row["client"])).values()
        for row in sends
    )


def precommitted_read(record: Record) -> Opinion:
    sends = grouped(record.sends, lambda row: row["value"])

    def is_early(row: Row, mine: list[Row]) -> bool | None:
        if any(map(ran_backwards, (row, *mine))):
            return None
        ended = _ended(mine)
        if ended is None:
            return None
        if row["completed_ns"] is None or ended <= row["completed_ns"]:
            return False
        known = record.client(row["client"])
        return True if known.get("role") == "producer" else None

    return opinion_of(
        is_early(row, mine)
        for row in _named(record)
        for mine in [sends.get(row["value"], [])]
        if max((each["client"] for each in mine), default=None) == row["client"]
        and not record.is_plain(row["client"])
        and not record.reads_uncommitted(row)
    )


def _ended(sends: list[Row]) -> int | None:
    done = [row["completed_ns"] for row in sends if row["outcome"] in {"ok", "failed"}]
    return max((each for each in done if each is not None), default=None)


def corrupt_value(record: Record) -> Opinion:
    written = {row["topic"] for row in record.sends}
    summed = [row for row in record.sends if None not in {row["checksum"], row["value"]}]
    here = grouped(summed, identity_of)
    anywhere = grouped(summed, lambda row: row["value"])
    polled = [row for row in record.polls if row["topic"] in written]
    kept = [
        row for row in record["replica_logs"] if row["problem"] is not None or not row["is_control"]
    ]

    def differs(row: Row) -> bool | None:
        if None in {row["value"], row["checksum"]}:
            return False
        sums = {
            one["checksum"] for one in here.get(identity_of(row), anywhere.get(row["value"], []))
        }
        if not sums or row["checksum"] in {min(sums), max(sums)}:
            return False
        return True if len(sums) == 1 else None

    return opinion_of(
        [
            *(True if row["value"] is None else differs(row) for row in polled),
            *(True if row["problem"] is not None else differs(row) for row in kept),
        ]
    )


def stalled_sends(record: Record) -> Opinion:
    last_ns = max(
        (at for row in record["history"] for at in (row["invoked_ns"], row["completed_ns"] or 0)),
        default=0,
    )
    considered, anomalies, doubts = 0, 0, 0
    for sends in grouped(record.told, place).values():
        ended = [
            row for row in sends if row["outcome"] != "invoked" and row["completed_ns"] is not None
        ]
        open_ = [{**row, "completed_ns": last_ns} for row in sends if row["outcome"] == "invoked"]
        considered += 1
        if any(row["outcome"] == "ok" for row in ended):
            ended += open_
        else:
            doubts += len(open_)
        anomalies += _stalls(ended)
    return Opinion(considered, anomalies, doubts)


def _stalls(sends: list[Row]) -> int:
    """How many times of thirty seconds and more there were, tenth after tenth."""
    answered = {row["completed_ns"] // TENTH_NS for row in sends if row["outcome"] == "ok"}
    slow = [row for row in sends if row["completed_ns"] - row["invoked_ns"] >= TENTH_NS]
    times, length = 0, 0
    first = min((row["invoked_ns"] for row in slow), default=0) // TENTH_NS
    last = max((row["completed_ns"] for row in slow), default=0) // TENTH_NS
    for tenth in range(first, last + 1):
        begin, end = tenth * TENTH_NS, (tenth + 1) * TENTH_NS
        waits = any(row["invoked_ns"] <= begin and row["completed_ns"] >= end for row in slow)
        length = length + 1 if waits and tenth not in answered else 0
        times += length == STALLED_TENTHS
    return times
