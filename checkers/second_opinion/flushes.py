"""What clients had sent, and had no outcome of, when they said that they have flushed."""

from __future__ import annotations

from highwater.checkers.second_opinion.opinion import Opinion, opinion_of
from highwater.checkers.second_opinion.record import Record
from highwater.checkers.second_opinion.rows import Row, grouped, ran_backwards


def flushed_too_early(record: Record) -> Opinion:
    by_client = grouped(record["flushes"], lambda row: row["client"])
    asked = [
        (send, [each for each in by_client.get(send["client"], []) if _is_before(send, each)])
        for send in record.final_sends
    ]
    return opinion_of(_was_early(record, send, flushes) for send, flushes in asked if flushes)


def _is_before(send: Row, flush: Row) -> bool:
    return bool(send["invoked_ns"] < flush["asked_ns"])


def _was_early(record: Record, send: Row, flushes: list[Row]) -> bool | None:
    ended = send["completed_ns"] if send["outcome"] != "invoked" else float("inf")
    if ended is None or (send["outcome"] != "invoked" and ran_backwards(send)):
        return None
    said = [each for each in flushes if each["error"] is None]
    sound = [each for each in said if each["flushed_ns"] >= each["asked_ns"]]
    if any(each["flushed_ns"] < ended for each in sound):
        is_within = send["transaction"] is not None or record.is_transactional(send["client"])
        return None if is_within else True
    return None if len(sound) < len(said) else False
