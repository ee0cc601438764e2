"""Records that were acknowledged where they do not stand."""

from __future__ import annotations

from highwater.checkers.second_opinion.readers import starts_of
from highwater.checkers.second_opinion.record import Record
from highwater.checkers.second_opinion.rows import Row, identity_of, place, ran_backwards


def is_astray(record: Record, promised: list[Row]) -> bool:
    """Whether nothing of a value stands where it was acknowledged, and something elsewhere."""
    where, value = (place(promised[0]), promised[0]["value"]) if promised else (("", 0), None)
    leader, topic = record.leaders.get(where), record.settings(where[0])
    if not promised or topic.is_compacted:
        return False
    if leader is None or not leader.is_recorded:
        return any(_is_passed_by(record, row) for row in promised)
    kept = {row["offset"] for row in leader.rows if row["value"] == value}
    if leader.is_damaged or not leader.settled or topic.is_tiered or leader.log_start is None:
        return False
    return bool(kept) and any(
        row["offset"] >= leader.log_start and row["offset"] not in kept for row in promised
    )


def _is_passed_by(record: Record, row: Row) -> bool:
    """Whether a reader passed where it was acknowledged, and readers were handed it elsewhere."""
    where, at, ended = place(row), row["offset"], row["completed_ns"]
    handed = {poll["offset"] for poll in record.polls if identity_of(poll) == identity_of(row)}
    untold = float("inf") if record.settings(where[0]).deletes else 0.0
    if not handed or at in handed or at < starts_of(record).get(where, untold):
        return False
    if ended is None or ran_backwards(row) or record.is_unreadable(where, at):
        return False
    return bool(record.passed_since(where, at) > ended)
