"""What clients were promised and told."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from highwater.checkers.second_opinion.record import (
    Opinion,
    Record,
    Row,
    grouped,
    opinion_of,
    place,
)

TENTH_NS = 100_000_000
STALLED_TENTHS = 300


def lost_write(record: Record) -> Opinion:
    read = {(place(row), row["value"]) for row in record.polls}
    return opinion_of(
        False if (place(row), row["value"]) in read else _is_lost(record, row)
        for row in record.acknowledged
    )


def _is_lost(record: Record, row: Row) -> bool | None:
    """Of a record that nobody read."""
    where, offset = place(row), row["offset"]
    reached = record.reached.get(where)
    if reached is None:
        return None
    leader = record.leaders.get(where)
    if leader is None:
        return True if offset is not None and 0 <= offset < reached else None
    end = leader.readable_end
    is_there = any(kept["value"] == row["value"] for kept in leader.rows)
    starts_later = None not in {offset, leader.log_start} and offset < leader.log_start
    if (end is not None and reached < end) or not leader.settled:
        return None
    if is_there:
        return False
    if not leader.is_recorded or leader.is_damaged or starts_later:
        return None
    return True


def duplicate(record: Record) -> Opinion:
    kept = [row for leader in record.leaders.values() for row in leader.rows]
    named = [row for row in (*record.polls, *kept) if row["value"] is not None]
    promised = grouped(_placed(record), lambda row: (place(row), row["value"]))
    values = grouped(named, lambda row: (place(row), row["value"]))
    return opinion_of(
        len({row["offset"] for row in (*rows, *promised.get(value, ()))}) > 1
        for value, rows in values.items()
    )


def _placed(record: Record) -> list[Row]:
    """What was acknowledged at a known offset."""
    placed = [row for row in record.acknowledged if (row["offset"] or 0) >= 0]
    return [row for row in placed if row["offset"] is not None]


def inconsistent_offsets(record: Record) -> Opinion:
    named = [row for row in (*record.polls, *_placed(record)) if row["value"] is not None]
    offsets = grouped(named, lambda row: (place(row), row["offset"]))
    return opinion_of(len({row["value"] for row in rows}) > 1 for rows in offsets.values())


def phantom_read(record: Record) -> Opinion:
    sent = {row["value"] for row in record.sends}
    return opinion_of(row["value"] not in sent for row in _named(record))


def aborted_read(record: Record) -> Opinion:
    failed = {row["value"] for row in record.sends if row["outcome"] == "failed"}
    return opinion_of(row["value"] in failed for row in _named(record))


def _named(record: Record) -> Iterator[Row]:
    return (row for row in record.polls if row["value"] is not None)


def _ran_backwards(row: Row) -> bool:
    """Whether it ended before it began: what came before what is then anybody's guess."""
    return row["completed_ns"] is not None and row["completed_ns"] < row["invoked_ns"]


def nonmonotonic_send(record: Record) -> Opinion:
    return opinion_of(
        None
        if _ran_backwards(row)
        else any(
            earlier["completed_ns"] is not None
            and not _ran_backwards(earlier)
            and earlier["completed_ns"] <= row["invoked_ns"]
            and earlier["offset"] > row["offset"]
            for earlier in sends
        )
        for sends in grouped(_placed(record), lambda row: (place(row), row["client"])).values()
        for row in sends
    )


def nonmonotonic_poll(record: Record) -> Opinion:
    placed = [row for row in record.polls if row["offset"] is not None and row["offset"] >= 0]
    return opinion_of(
        any(earlier["op"] < row["op"] and earlier["offset"] >= row["offset"] for earlier in polls)
        for polls in grouped(placed, lambda row: (place(row), row["client"])).values()
        for row in polls
    )


def poll_skip(record: Record) -> Opinion:
    placed = [row for row in record.polls if row["offset"] is not None and row["offset"] >= 0]
    there = {
        where: {row["offset"] for row in rows} for where, rows in grouped(placed, place).items()
    }
    readers = grouped(placed, lambda row: (place(row), row["client"]))
    return opinion_of(
        offset not in own
        for (where, _), rows in readers.items()
        for own in [{row["offset"] for row in rows}]
        for offset in there[where]
        if min(own) <= offset <= max(own)
    )


def unseen(record: Record) -> Opinion:
    read = {(place(row), row["value"]) for row in record.polls}
    stored = {
        (where, row["value"]) for where, leader in record.leaders.items() for row in leader.rows
    }
    begins = {where: leader.log_start or 0 for where, leader in record.leaders.items()}
    passed = [
        row
        for row in record.acknowledged
        if row["offset"] is not None
        and begins.get(place(row), 0) <= row["offset"] < record.reached.get(place(row), 0)
    ]
    asked = [(place(row), row["value"]) for row in passed]
    return opinion_of(each not in read for each in asked if each in stored)


def precommitted_read(record: Record) -> Opinion:
    sends = grouped(record.sends, lambda row: row["value"])
    return opinion_of(
        None if ended is None else ended > row["invoked_ns"]
        for row in _named(record)
        for mine in [sends.get(row["value"], [])]
        if max((each["client"] for each in mine), default=None) == row["client"]
        for ended in [_ended(mine)]
    )


def _ended(sends: list[Row]) -> int | None:
    done = [row["completed_ns"] for row in sends if row["outcome"] in {"ok", "failed"}]
    return max((each for each in done if each is not None), default=None)


def corrupt_value(record: Record) -> Opinion:
    written = {row["topic"] for row in record.sends}
    sums = {
        value: min((row["checksum"] for row in rows if row["checksum"] is not None), default=None)
        for value, rows in grouped(record.sends, lambda row: row["value"]).items()
    }
    polled = [row for row in record.polls if row["topic"] in written]
    kept = [
        row for row in record["replica_logs"] if row["problem"] is not None or not row["is_control"]
    ]

    def differs(row: Row) -> bool:
        sent = None if row["value"] is None else sums.get(row["value"])
        return None not in {sent, row["checksum"]} and sent != row["checksum"]

    return opinion_of(
        [
            *(row["value"] is None or differs(row) for row in polled),
            *(row["problem"] is not None or differs(row) for row in kept),
        ]
    )


def stale_read(record: Record) -> Opinion:
    readings = [row for row in record["history"] if row["action"] == "end"]
    seen = {
        key: max(row["invoked_ns"] for row in rows)
        for key, rows in grouped(record.polls, lambda row: (place(row), row["value"])).items()
    }

    def hides(reading: Row, sent: Row) -> bool:
        later = seen.get((place(sent), sent["value"]))
        return (
            None not in {sent["offset"], sent["completed_ns"], later, reading["completed_ns"]}
            and not _ran_backwards(sent)
            and place(sent) == place(reading)
            and sent["offset"] >= reading["offset"]
            and sent["completed_ns"] <= reading["invoked_ns"]
            and later > reading["completed_ns"]
        )

    return opinion_of(
        None
        if _ran_backwards(reading)
        else any(hides(reading, sent) for sent in record.acknowledged)
        for reading in readings
        if reading["outcome"] == "ok"
    )


def stuck_reader(record: Record) -> Opinion:
    readings = [row for row in record["history"] if row["action"] in {"end", "stall"}]
    values = list(grouped(record.sends, lambda row: (place(row), row["value"])).values())
    return opinion_of(
        False if reading["action"] == "end" else _is_stuck(reading, values)
        for reading in readings
        if reading["outcome"] == "ok"
    )


def stalled_sends(record: Record) -> Opinion:
    ended = [row for row in record.sends if row["outcome"] != "invoked"]
    return _opinion_of_partitions(
        _is_stalled([row for row in rows if row["completed_ns"] is not None])
        for rows in grouped(ended, place).values()
    )


def _is_stalled(sends: list[Row]) -> int:
    """How many times of thirty seconds and more there were, tenth after tenth."""
    answered = {row["completed_ns"] // TENTH_NS for row in sends if row["outcome"] == "ok"}
    slow = [row for row in sends if row["completed_ns"] - row["invoked_ns"] >= TENTH_NS]
    times, length = 0, 0
    for tenth in range(max((row["completed_ns"] for row in slow), default=0) // TENTH_NS + 1):
        begin, end = tenth * TENTH_NS, (tenth + 1) * TENTH_NS
        waits = any(row["invoked_ns"] <= begin and row["completed_ns"] >= end for row in slow)
        length = length + 1 if waits and tenth not in answered else 0
        times += length == STALLED_TENTHS
    return times


def _opinion_of_partitions(anomalies: Iterable[int]) -> Opinion:
    found = list(anomalies)
    return Opinion(len(found), sum(found))


def _is_stuck(reading: Row, values: list[list[Row]]) -> bool | None:
    if _ran_backwards(reading):
        return None
    beyond = False
    for rows in values:
        if place(rows[0]) != place(reading):
            continue
        known = max(
            (row["completed_ns"] for row in rows if row["outcome"] in {"ok", "failed"}
             and row["completed_ns"] is not None),
            default=None,
        )  # fmt: skip
        begun = min(row["invoked_ns"] for row in rows) <= (reading["completed_ns"] or -1)
        if begun and (known is None or known > reading["invoked_ns"]):
            return None  # a transaction may be open
        stands = [row["offset"] for row in rows if row["outcome"] == "ok"]
        is_beyond = any(at is not None and at >= reading["offset"] for at in stands)
        beyond |= is_beyond and known is not None and known <= reading["invoked_ns"]
    return True if beyond else None
