"""Positions that groups committed beyond the end of a log."""

from __future__ import annotations

from collections.abc import Collection

from highwater.checkers.second_opinion.opinion import Opinion, opinion_of
from highwater.checkers.second_opinion.record import Record
from highwater.checkers.second_opinion.rows import Place, Row, grouped, place


def committed_beyond_end(record: Record) -> Opinion:
    confirmed = [row for row in record["commits"] if row["outcome"] == "ok" and row["offset"] >= 0]
    groups = grouped(confirmed, lambda row: (row["group"], place(row)))
    return opinion_of(
        _is_beyond(record, group, where, max(row["offset"] for row in rows))
        for (group, where), rows in groups.items()
    )


def _is_beyond(record: Record, group: str, where: Place, position: int) -> bool | None:
    end = max([0, *_ends(record, where), *(offset + 1 for offset in _offsets(record, where))])
    if position <= end:
        return False
    leader = record.leaders.get(where)
    if leader is None or leader.log_end is None or not leader.settled:
        return None
    sends = [row for row in record.final_sends if place(row) == where]
    stored = {
        row["value"] for row in record["replica_logs"] if place(row) == where and _is_sound(row)
    }
    unplaced = [row for row in sends if _may_be_anywhere(record, row, stored)]
    transactors = {row["client"] for row in sends if not record.is_plain(row["client"])}
    if not record.writes_to(where[0]) or position - end <= 2 * (len(unplaced) + len(transactors)):
        return None
    if position <= _longest(record, sends) + 2 * len(transactors):
        return None
    damaged = [row for row in record["replica_logs"] if row["problem"] is not None]
    if any(place(row) == where and position <= row["offset"] + 1 for row in damaged):
        return None
    done = [row for row in record["processed"] if row["group"] == group and place(row) == where]
    spans = [row for row in done if 0 <= row["first_offset"] < row["end_offset"]]
    return None if any(position <= row["end_offset"] for row in spans) else True


def _longest(record: Record, sends: Collection[Row]) -> int:
    """As long as a log can have been that has all of these sends, each once, and their markers."""
    written = [
        row for row in sends if row["outcome"] != "failed" or not record.is_plain(row["client"])
    ]
    repeated = [row for row in written if record.client(row["client"]).get("idempotence") is False]
    told = [row for row in written if not record.is_plain(row["client"])]
    known = [row for row in told if row["transaction"] is not None]
    numbers = {(row["client"], row["transaction"]) for row in known}
    return len(written) + len(repeated) + len(told) - len(known) + len(numbers)


def _ends(record: Record, where: Place) -> list[int]:
    """What brokers told of their replicas, and where readers came to the end, or to a stand."""
    readings = [
        row["offset"]
        for row in record["history"]
        if row["action"] in {"end", "stall"} and row["outcome"] == "ok" and place(row) == where
    ]
    replicas = [row for row in record["replica_ends"] if place(row) == where]
    told = [row[name] for row in replicas for name in ("log_end_offset", "high_watermark")]
    return [end for end in (*readings, *told) if end is not None]


def _offsets(record: Record, where: Place) -> list[int]:
    """At which anybody told of a sound record."""
    stored = [row for row in record["replica_logs"] if row["problem"] is None]
    rows = [*record.sends, *record.polls, *stored]
    return [row["offset"] for row in rows if place(row) == where and row["offset"] is not None]


def _is_sound(row: Row) -> bool:
    return row["problem"] is None and row["offset"] >= 0


def _may_be_anywhere(record: Record, sent: Row, stored: Collection[int | None]) -> bool:
    """Whether it may have written a record of which nobody told the offset.

    `stored` are the values that logs have there.
    """
    if record.client(sent["client"]).get("idempotence") is False:
        return True
    value = sent["value"]
    is_stored = value is not None and value in stored and len(record.sent[value]) == 1
    failed = sent["outcome"] == "failed"
    if failed and (record.is_plain(sent["client"]) or is_stored):
        return False
    return sent["offset"] is None or sent["offset"] < 0
