"""What pipelines made of what they were handed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from highwater.checkers.second_opinion.groups import Span, span_of
from highwater.checkers.second_opinion.opinion import Opinion, opinion_of
from highwater.checkers.second_opinion.readers import is_lost, shown_polls, starts_of
from highwater.checkers.second_opinion.record import Record
from highwater.checkers.second_opinion.rows import (
    Place,
    Row,
    grouped,
    identity_of,
    place,
    ran_backwards,
    values_of,
)
from highwater.checkers.second_opinion.transactions import stands_in_log, was_passed_over

SHOWN, GONE, MAYBE = "shown", "gone", "maybe"
Identities = set[tuple[Place, int]]
Outputs = set[tuple[str, object]]
Spans = Mapping[Place, Span]


def not_exactly_once(record: Record) -> Opinion:
    pipelines = {
        row["group_id"]
        for row in record["clients"]
        if row["role"] == "producer" and row["group_id"] is not None
    }
    return opinion_of(found for group in pipelines for found in _of_pipeline(record, group))


def _of_pipeline(record: Record, group: str) -> Iterator[bool | None]:
    sends = [row for row in record.final_sends if _is_of(record.client(row["client"]), group)]
    made = grouped(sends, lambda row: row["made_of"])
    read, shown = values_of(record.polls), values_of(_of_committed(record))
    fates = {value: _fates(record, rows, read, shown) for value, rows in made.items()}
    given = grouped(_given(record), lambda row: row["value"])
    for value in fates.keys() - {None}:
        if _is_twice(fates[value][SHOWN]):
            is_sure = value in given and not _may_stand_again(record, value)
            yield True if is_sure else None
    spans, starts = _spans(record, group), starts_of(record)
    untold = None in made
    for value, rows in given.items():
        below = [
            row for row in rows if place(row) in spans and spans[place(row)].has(row["offset"])
        ]
        own = fates.get(value, {SHOWN: set(), MAYBE: set()})
        if not below or _is_twice(own[SHOWN]):
            continue
        if own[MAYBE] or own[SHOWN]:
            yield None if own[MAYBE] else False
            continue
        (row, *others) = below
        is_doubtful = untold or others or _may_stand_again(record, value)
        is_doubtful = is_doubtful or spans[place(row)].is_unsure(row["offset"])
        yield None if is_doubtful or _is_excused(record, row, starts) else True


def _is_of(client: Row, group: str) -> bool:
    return client.get("role") == "producer" and client["group_id"] == group


def _of_committed(record: Record) -> list[Row]:
    return [row for row in record.polls if not record.reads_uncommitted(row)]


def _fates(
    record: Record, rows: list[Row], read: Identities, shown: Identities
) -> dict[str, Outputs]:
    """What became of the outputs of one record: their topics and values."""
    found: dict[str, Outputs] = {SHOWN: set(), GONE: set(), MAYBE: set()}
    for row in rows:
        fate = SHOWN if identity_of(row) in shown else _unseen(record, row, read)
        found[fate if _is_single(record, row) else MAYBE].add((row["topic"], row["value"]))
    return found


def _is_twice(outputs: Outputs) -> bool:
    """Whether there are two in one topic: a pipeline may have outputs in several, one in each."""
    return len({topic for topic, _ in outputs}) < len(outputs)


def _is_single(record: Record, row: Row) -> bool:
    return row["value"] is not None and len(record.sent[row["value"]]) == 1


def _unseen(record: Record, row: Row, read: Identities) -> str:
    """What became of one that no reader of committed records was handed."""
    if row["outcome"] == "failed":
        return GONE
    if ran_backwards(row):
        return MAYBE
    was_read = identity_of(row) in read
    gone = is_lost(record, row, was_read=was_read)
    if gone is False and was_read and not stands_in_log(record, row):
        return MAYBE
    if gone is False:
        ended = row["completed_ns"]
        since_ns = row["invoked_ns"] if ended is None else ended
        gone = was_passed_over(record, row, since_ns, is_loud=was_read)
    return GONE if gone else MAYBE


def _given(record: Record) -> list[Row]:
    """Records that readers were handed and that are known to be committed, one row for each."""
    rows = [row for row in shown_polls(record) if row["value"] is not None]
    several = grouped(rows, lambda row: (place(row), row["offset"], row["value"]))
    return [same[0] for same in several.values()]


def _spans(record: Record, group: str) -> Spans:
    """By partition what was the group's to process."""
    commits = [row for row in record["commits"] if row["group"] == group and row["offset"] >= 0]
    done = grouped(
        (
            row
            for row in record["processed"]
            if row["group"] == group and 0 <= row["first_offset"] < row["end_offset"]
        ),
        place,
    )
    told = {
        where: span_of(record, rows, done.get(where, []))
        for where, rows in grouped(commits, place).items()
    }
    return {where: span for where, span in told.items() if span is not None}


def _may_stand_again(record: Record, value: int) -> bool:
    """Whether a value may stand in logs more than once, wherever that is."""
    polls = [row for row in record.polls if row["value"] == value]
    if any(row["offset"] is None or row["offset"] < 0 for row in polls):
        return True
    stands = {(place(row), row["offset"]) for row in polls}
    for where, leader in record.leaders.items():
        stands |= {(where, row["offset"]) for row in leader.rows if row["value"] == value}
    plain = any(
        record.client(row["client"]).get("idempotence") is False
        for row in record.sends
        if row["value"] == value
    )
    return len(stands) > 1 or len(record.sent.get(value, [])) > 1 or plain


def _is_excused(record: Record, row: Row, starts: Mapping[Place, float]) -> bool:
    """Whether there need not be an output of a record."""
    where, offset, value = place(row), row["offset"], row["value"]
    there = {
        each["value"] for each in _given(record) if (place(each), each["offset"]) == (where, offset)
    }
    leader, topic = record.leaders.get(where), record.settings(where[0])
    lacks = leader is not None and leader.is_recorded
    if leader is not None and lacks:
        lacks = not any((each["value"], each["offset"]) == (value, offset) for each in leader.rows)
    failed = any(each["outcome"] == "failed" for each in record.sends if each["value"] == value)
    is_gone = offset < starts.get(where, float("inf") if topic.deletes else 0.0)
    return bool(
        len(there) > 1
        or lacks
        or failed
        or is_gone
        or topic.is_compacted
        or record.is_unreadable(where, offset)
    )
