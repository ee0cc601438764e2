"""What readers were handed, and what they ought to have been."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from math import inf

from highwater.checkers.second_opinion.ends import misses, stands
from highwater.checkers.second_opinion.leader import Leader
from highwater.checkers.second_opinion.opinion import Opinion, opinion_of
from highwater.checkers.second_opinion.record import Record, placed
from highwater.checkers.second_opinion.rows import (
    Place,
    Row,
    grouped,
    identity_of,
    place,
    ran_backwards,
    values_of,
)


def lost_write(record: Record) -> Opinion:
    read = values_of(record.polls)
    findings: list[bool | None] = []
    for row in record.final_sends:
        if row["outcome"] == "failed":
            continue
        identity = (place(row), row["value"])
        leader = record.leaders.get(place(row))
        promised = row["outcome"] == "ok" and row["acks"] == "all"
        if leader is not None and leader.is_recorded and row["value"] is not None:
            promised = promised or identity in read
        if promised:
            findings.append(is_lost(record, row, was_read=identity in read))
    return opinion_of(findings)


def is_lost(record: Record, row: Row, *, was_read: bool) -> bool | None:
    leader = record.leaders.get(place(row))
    if row["value"] is None:
        return None
    if leader is None:
        return _is_lost_to_readers(record, row, was_read=was_read)
    if not leader.is_recorded:
        return False if was_read else None
    is_there = any(kept["value"] == row["value"] for kept in leader.rows)
    if not leader.settled:
        return False if is_there and was_read else None
    if is_there:
        return None if _may_be_elsewhere(record, leader, row) else False
    return _is_gone(record, leader, row, was_read=was_read)


def _may_be_elsewhere(record: Record, leader: Leader, row: Row) -> bool:
    """Whether what the log has may be a copy of an attempt that failed, or may have."""
    if row["outcome"] != "ok" or row["offset"] is None or row["offset"] < 0:
        return False
    kept = {each["offset"] for each in leader.rows if each["value"] == row["value"]}
    others = [each for each in record.final_sends if identity_of(each) == identity_of(row)]
    failed = any(each["outcome"] == "failed" for each in others)
    untold = any(
        each["outcome"] in {"unknown", "invoked"} and not record.is_plain(each["client"])
        for each in others
    )
    shown = any(
        identity_of(poll) == identity_of(row) and poll["offset"] in kept
        for poll in record.polls
        if not record.reads_uncommitted(poll)
    )
    return (failed or (untold and not shown)) and row["offset"] not in kept


def _is_gone(record: Record, leader: Leader, row: Row, *, was_read: bool) -> bool | None:
    """Of what the settled leader's log lacks."""
    at = stands(record, row)
    if leader.log_start is None:
        return False if was_read else None
    first = min((kept["offset"] for kept in leader.rows), default=leader.log_start)
    if record.settings(row["topic"]).is_tiered and first > leader.log_start:
        if at < first:
            return None
    elif at < leader.log_start != 0:
        return False if was_read else None
    blank = [
        kept
        for kept in leader.rows
        if kept["value"] is None and kept["problem"] is None and not kept["is_control"]
    ]
    hides = any(
        kept["checksum"] == row["checksum"]
        if kept["checksum"] is not None
        else at < 0 or kept["offset"] == at
        for kept in blank
    )
    return (
        None if leader.is_damaged or record.settings(row["topic"]).is_compacted or hides else True
    )


def _is_lost_to_readers(record: Record, row: Row, *, was_read: bool) -> bool | None:
    if was_read:
        missed = any(
            not ran_backwards(end)
            and end["completed_ns"] is not None
            and misses(record, end, row)
            and record.last_handed[identity_of(row)] <= end["completed_ns"]
            for end in record.endings
        )
        return None if missed else False
    at = row["offset"]
    if at is None or at < 0 or not record.was_passed(place(row), at):
        return None
    if record.passed_until(place(row), at) < row["invoked_ns"]:
        return None
    if record.is_unreadable(place(row), at):
        return None
    topic = record.settings(row["topic"])
    may_be_gone = topic.deletes and at < starts_of(record).get(place(row), inf)
    return None if topic.is_compacted or may_be_gone else True


def nonmonotonic_poll(record: Record) -> Opinion:
    placed = [row for row in record.polls if row["offset"] is not None and row["offset"] >= 0]
    return opinion_of(
        any(earlier["op"] < row["op"] and earlier["offset"] >= row["offset"] for earlier in polls)
        for polls in grouped(placed, lambda row: (place(row), row["client"])).values()
        for row in polls
    )


def starts_of(record: Record) -> dict[Place, float]:
    """The highest start of any replica's log, below which records may have been deleted."""
    starts: dict[Place, float] = {}
    for where, ends in grouped(record["replica_ends"], place).items():
        told = [row["log_start_offset"] for row in ends if row["log_start_offset"] is not None]
        leader = record.leaders.get(where)
        if leader is not None and leader.log_start is None:  # of deleted ones files may be left
            told.append(inf if record.settings(where[0]).deletes else leader.begins)
        starts[where] = max(told, default=inf)
    return starts


def shown_polls(record: Record) -> list[Row]:
    """What readers of committed records were handed, and what others were and was acknowledged."""
    acked = {(place(row), row["offset"], row["value"]) for row in placed(record)}
    told = [row for row in record.polls if row["offset"] is not None and row["offset"] >= 0]
    return [
        row
        for row in told
        if not record.reads_uncommitted(row)
        or (row["value"] is not None and (place(row), row["offset"], row["value"]) in acked)
    ]


def may_be_gone_or_aborted(record: Record, polls: list[Row]) -> Callable[[Place, int], bool]:
    """Of a record that one of these polls brought, whether others may rightly have none."""
    starts = starts_of(record)
    failed = {row["value"] for row in record.sends if row["outcome"] == "failed"} - {None}
    nameless = {place(row) for row in record.sends if row["value"] is None}
    promised = {(place(row), row["offset"]) for row in placed(record)}
    by_offset = grouped(polls, lambda row: (place(row), row["offset"]))

    def may_be(where: Place, offset: int) -> bool:
        topic = record.settings(where[0])
        unknown = inf if topic.deletes else 0.0
        may_be_gone = topic.is_compacted or offset < starts.get(where, unknown)
        values = {row["value"] for row in by_offset[where, offset]} - {None}
        may_have_failed = bool(values & failed) if values else bool(failed) or where in nameless
        return may_be_gone or (may_have_failed and (where, offset) not in promised)

    return may_be


def still_stands(record: Record, handed: list[Row]) -> bool:
    """Whether what was handed out at one offset is one value, which the log has there."""
    values = {row["value"] for row in handed} - {None}
    if len(values) > 1:
        return False
    leader = record.leaders.get(place(handed[0]))
    if leader is None or not leader.is_recorded:
        return True
    return any(
        row["offset"] == handed[0]["offset"]
        and row["value"] == next(iter(values), None)
        and not row["is_control"]
        and row["problem"] is None
        for row in leader.rows
    )


def poll_skip(record: Record) -> Opinion:
    every = [row for row in record.polls if row["offset"] is not None and row["offset"] >= 0]
    asked = {True: every, False: shown_polls(record)}  # by whether uncommitted ones are read, too
    there_for = {is_loud: _by_offset(polls) for is_loud, polls in asked.items()}
    excused = {is_loud: may_be_gone_or_aborted(record, polls) for is_loud, polls in asked.items()}
    untold = {
        (place(row), row["client"])
        for row in record.polls
        if row["offset"] is None or row["offset"] < 0
    }

    def is_skipped(reader: tuple[Place, str], offset: int, *, is_loud: bool) -> bool | None:
        if excused[is_loud](reader[0], offset) or reader in untold:
            return None
        sent = [row["invoked_ns"] for row in placed(record) if _is_at(row, reader[0], offset)]
        was_passed = min(sent, default=-inf) > record.passages.by(reader, offset)
        same = there_for[is_loud][reader[0]][offset]
        return None if was_passed or not still_stands(record, same) else True

    return opinion_of(
        False if offset in own else is_skipped(reader, offset, is_loud=is_loud)
        for reader, rows in grouped(every, lambda row: (place(row), row["client"])).items()
        for own in [{row["offset"] for row in rows}]
        for is_loud in [record.reads_uncommitted(rows[0])]
        for offset in there_for[is_loud][reader[0]]
        if min(own) <= offset <= max(own)
    )


def _by_offset(polls: list[Row]) -> dict[Place, dict[int, list[Row]]]:
    found: dict[Place, dict[int, list[Row]]] = defaultdict(lambda: defaultdict(list))
    for row in polls:
        found[place(row)][row["offset"]].append(row)
    return found


def _is_at(row: Row, where: Place, offset: int) -> bool:
    return place(row) == where and bool(row["offset"] == offset)
