"""Where sends of one client stand to one another."""

from __future__ import annotations

from highwater.checkers.second_opinion.opinion import Opinion, opinion_of
from highwater.checkers.second_opinion.record import Record, placed
from highwater.checkers.second_opinion.rows import Row, grouped, place, ran_backwards


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


def reordered(record: Record) -> Opinion:
    def has_overtaken(row: Row, sends: list[Row]) -> bool | None:
        above = [one for one in sends if one["offset"] > row["offset"]]
        first = min(above, key=lambda one: int(one["op"]), default=row)
        if first["op"] >= row["op"]:
            return False
        keeps_order: bool | None = record.client(row["client"]).get("keeps_order")
        if not keeps_order:
            return keeps_order
        if any(one["completed_ns"] is None or ran_backwards(one) for one in (row, first)):
            return None
        return True if row["completed_ns"] < first["completed_ns"] else None

    return opinion_of(
        has_overtaken(row, sends)
        for sends in grouped(placed(record), lambda row: (place(row), row["client"])).values()
        for row in sends
    )
