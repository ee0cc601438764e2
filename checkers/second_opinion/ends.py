"""Readers that took something for the end, or stood still."""

from __future__ import annotations

from highwater.checkers.second_opinion.leader import Leader
from highwater.checkers.second_opinion.opinion import Opinion, opinion_of
from highwater.checkers.second_opinion.record import Record
from highwater.checkers.second_opinion.rows import (
    Place,
    Row,
    identity_of,
    place,
    ran_backwards,
    values_of,
)

SECOND_NS = 1_000_000_000


def stands(record: Record, sent: Row) -> int:
    """Where the broker said that a record stands, or else where readers found it; else -1."""
    told = -1 if sent["offset"] is None else int(sent["offset"])
    return told if told >= 0 else record.highest_handed.get(identity_of(sent), -1)


def misses(record: Record, reading: Row, sent: Row) -> bool:
    """Whether a reader took for the end what a record committed before lies at or above."""
    if place(reading) != place(sent) or reading["offset"] is None:
        return False
    if sent["value"] is None and reading["action"] == "end":
        return False
    if sent["outcome"] == "failed" or reading["offset"] < 0:
        return False
    if stands(record, sent) < reading["offset"]:
        return False
    until = float("inf") if reading["completed_ns"] is None else reading["completed_ns"]
    own = record.handed_to.get((reading["client"], *identity_of(sent)), [])
    if any(at <= until and offset < reading["offset"] for at, offset in own):
        return False
    since = [_first_handed(record, sent)]
    if sent["acks"] == "all" and sent["outcome"] == "ok" and not ran_backwards(sent):
        since.append(sent["completed_ns"])
    return any(at is not None and at < reading["invoked_ns"] for at in since)


def _first_handed(record: Record, sent: Row) -> int | None:
    """When a reader was first handed it, of several attempts at a value where this one stands."""
    if sent["value"] is None or record.is_alone(sent):
        return record.first_handed.get(identity_of(sent))
    at = [
        row["completed_ns"]
        for row in record.polls
        if identity_of(row) == identity_of(sent)
        and row["offset"] == stands(record, sent)
        and row["completed_ns"] is not None
        and not ran_backwards(row)
    ]
    return min(at, default=None)


def stale_read(record: Record) -> Opinion:
    read = values_of(record.polls)
    return opinion_of(
        None
        if ran_backwards(reading) or reading["offset"] is None or reading["offset"] < 0
        else _is_stale(
            record,
            reading,
            [one for one in record.final_sends if misses(record, reading, one)],
            read,
        )
        for reading in record.endings
    )


def _is_stale(
    record: Record, reading: Row, missed: list[Row], read: set[tuple[Place, int]]
) -> bool | None:
    leader = record.leaders.get(place(reading))
    kept = set() if leader is None else {row["value"] for row in leader.rows} - {None}
    by_log = leader is not None and leader.is_recorded and leader.settled
    there, nowhere = False, False
    for sent in missed:
        deleted = leader is not None and _was_deleted(record, leader, reading, sent)
        if deleted or not (by_log and sent["value"] not in kept):
            is_there = (place(sent), sent["value"]) in read or sent["value"] in kept
            there, nowhere = there or is_there, nowhere or not is_there
    if not there and not nowhere:
        return False
    return None if _has_to_wait(record, reading) else True if there else None


def _was_deleted(record: Record, leader: Leader, reading: Row, sent: Row) -> bool:
    """Whether it is below the log's start, and a reader was handed it after a reading."""
    if stands(record, sent) >= (leader.log_start or 0):
        return False
    until = reading["invoked_ns"] if reading["completed_ns"] is None else reading["completed_ns"]
    return bool(record.last_handed.get(identity_of(sent), until) > until)


def _has_to_wait(record: Record, reading: Row) -> bool:
    """Whether a transaction may be open at the offset that a reader got to, or without a marker."""
    if record.reads_uncommitted(reading):
        return False
    if reading["completed_ns"] is None:
        return True
    copied = _copied_there(record, reading)
    return _may_lack_a_marker(record, reading) or any(
        (_lies(record, row) in {reading["offset"], -1} or identity_of(row) in copied)
        and _may_be_open(record, reading, row)
        for row in record.final_sends
    )


def _copied_there(record: Record, reading: Row) -> set[tuple[Place, int]]:
    """What was sent once and handed out where a reader got to, wherever it was told to stand."""
    here = [
        row
        for row in record.polls
        if place(row) == place(reading) and row["offset"] == reading["offset"]
    ]
    return {identity_of(row) for row in here if row["value"] is not None and record.is_alone(row)}


def _lies(record: Record, row: Row) -> int:
    """Where the record of a send stands by what was told, or by what was handed out; else -1."""
    told = _highest([row])
    if told >= 0 or row["value"] is None or not record.is_alone(row):
        return told
    return record.highest_handed.get(identity_of(row), -1)


def _may_lack_a_marker(record: Record, reading: Row) -> bool:
    """Whether a transaction that had ended may have held the reader back where it got to."""
    at = reading["offset"]
    sends = [row for row in record.final_sends if place(row) == place(reading)]
    ended = [row for row in sends if _may_be_without_marker(record, reading, row)]
    below = {
        row["client"] for row in sends if row["outcome"] == "ok" and row["offset"] == at - 1 >= 0
    }
    copied = _copied_there(record, reading)
    there = [row for row in ended if _lies(record, row) == at or identity_of(row) in copied]
    if any(row["client"] not in below for row in there):
        return True
    anywhere = {row["value"] for row in ended if _lies(record, row) < 0}
    told = any(row["outcome"] == "ok" and row["offset"] == at for row in sends)
    handed = {
        row["value"]
        for row in record.polls
        if place(row) == place(reading) and row["offset"] == at and row["value"] is not None
    }
    return bool(anywhere) and not told and not handed - anywhere


def _may_be_without_marker(record: Record, reading: Row, row: Row) -> bool:
    """Whether it may be of a transaction that had ended, and had not been shown to readers."""
    if reading["completed_ns"] is None or not _has_begun(record, reading, row):
        return False
    if row["outcome"] not in {"ok", "failed"} or row["acks"] in {"0", "1"}:
        return False
    known, until = _known(row), reading["completed_ns"] - SECOND_NS
    if reading["action"] == "stall" and known is not None and known <= until:
        return False
    alone = row["value"] is not None and record.is_alone(row)
    shown = record.first_committed.get(identity_of(row)) if alone else None
    return shown is None or shown >= reading["invoked_ns"]


def _highest(rows: list[Row]) -> int:
    """The highest of the offsets that somebody told; -1 for none."""
    return max(
        (row["offset"] for row in rows if row["offset"] is not None and row["offset"] >= 0),
        default=-1,
    )


def _has_begun(record: Record, reading: Row, row: Row) -> bool:
    if place(row) != place(reading) or record.is_plain(row["client"]):
        return reading["completed_ns"] is None
    return reading["completed_ns"] is None or row["invoked_ns"] <= reading["completed_ns"]


def _may_be_open(record: Record, reading: Row, row: Row) -> bool:
    if record.reads_uncommitted(reading):
        return False
    if reading["completed_ns"] is None:
        return True
    known = _known(row)
    is_untimed = row["outcome"] in {"ok", "failed"} and row["completed_ns"] is None
    if known is None and not is_untimed and row["value"] is not None and record.is_alone(row):
        known = record.first_committed.get(identity_of(row))
    return _has_begun(record, reading, row) and (known is None or known >= reading["invoked_ns"])


def _known(row: Row) -> int | None:
    """When its end was known, if it ever was."""
    if row["outcome"] not in {"ok", "failed"} or ran_backwards(row):
        return None
    return None if row["completed_ns"] is None else int(row["completed_ns"])


def stuck_reader(record: Record) -> Opinion:
    readings = [
        row
        for row in record["history"]
        if row["action"] in {"end", "stall"} and row["outcome"] == "ok"
    ]
    return opinion_of(
        False if reading["action"] == "end" else _is_stuck(record, reading) for reading in readings
    )


def _is_stuck(record: Record, reading: Row) -> bool | None:
    if ran_backwards(reading) or reading["offset"] is None or reading["offset"] < 0:
        return None
    if any(_may_be_open(record, reading, row) for row in record.final_sends):
        return None
    if not record.reads_uncommitted(reading) and _may_lack_a_marker(record, reading):
        return None
    if any(misses(record, reading, row) for row in record.final_sends):
        return True
    return None
