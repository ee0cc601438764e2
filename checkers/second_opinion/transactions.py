"""What became of transactions as wholes."""

from __future__ import annotations

from collections.abc import Iterator

from highwater.checkers.second_opinion.opinion import Opinion, opinion_of
from highwater.checkers.second_opinion.readers import is_lost
from highwater.checkers.second_opinion.record import Record
from highwater.checkers.second_opinion.rows import (
    Row,
    grouped,
    identity_of,
    place,
    ran_backwards,
    values_of,
)


def sent_in_transactions(record: Record) -> list[Row]:
    """What was sent once, in a transaction that is not known to have failed."""
    named = [row for row in record.final_sends if row["value"] is not None]
    often = grouped(named, lambda row: row["value"])
    return [
        row
        for row in named
        if row["transaction"] is not None
        and row["outcome"] != "failed"
        and row["acks"] not in {"1", "0"}
        and not record.is_plain(row["client"])
        and len(often[row["value"]]) == 1
    ]


def torn_transaction(record: Record) -> Opinion:
    whole = grouped(sent_in_transactions(record), lambda row: (row["client"], row["transaction"]))
    handed = grouped(
        (row for row in record.polls if not record.reads_uncommitted(row)), identity_of
    )
    return opinion_of(
        found
        for rows in whole.values()
        if len(rows) > 1 and any(identity_of(row) in handed for row in rows)
        for found in _torn(record, rows, handed)
    )


def _torn(
    record: Record, rows: list[Row], handed: dict[object, list[Row]]
) -> Iterator[bool | None]:
    read = values_of(record.polls)
    times = [
        poll["completed_ns"]
        for row in rows
        for poll in handed.get(identity_of(row), ())
        if poll["completed_ns"] is not None and not ran_backwards(poll)
    ]
    for row in rows:
        if identity_of(row) in handed:
            yield False
            continue
        if ran_backwards(row) or row["invoked_ns"] > min(times, default=float("inf")):
            yield None
            continue
        lost = is_lost(record, row, was_read=identity_of(row) in read)
        if lost is False and stands_in_log(record, row):
            since_ns, is_loud = min(times, default=float("inf")), identity_of(row) in read
            yield was_passed_over(record, row, since_ns, is_loud=is_loud)
        else:
            yield None if lost is False else lost


def stands_in_log(record: Record, row: Row) -> bool:
    """Whether the final leader's log is in the record and has it."""
    leader = record.leaders.get(place(row))
    return leader is not None and any(kept["value"] == row["value"] for kept in leader.rows)


def was_passed_over(record: Record, row: Row, since_ns: float, *, is_loud: bool) -> bool | None:
    """Whether a reader passed where the log has it after that; its transaction had ended then.

    Of one that readers of uncommitted records were handed (`is_loud`) others are asked.
    """
    leader, where = record.leaders[place(row)], place(row)
    at = max(kept["offset"] for kept in leader.rows if kept["value"] == row["value"])
    if leader.log_start is None or at < leader.log_start:
        return None
    if record.is_unreadable(where, at) or not record.was_passed(where, at):
        return None
    return True if record.passed_since(where, at, as_committed=is_loud) > since_ns else None
