"""What share groups have accepted."""

from __future__ import annotations

from highwater.checkers.second_opinion.opinion import Opinion, opinion_of
from highwater.checkers.second_opinion.record import Record
from highwater.checkers.second_opinion.rows import grouped, place


def accepted_again(record: Record) -> Opinion:
    told = [
        row
        for row in record["shares"]
        if row["step"] == "accepted"
        and row["outcome"] == "ok"
        and 0 <= row["first_offset"] < row["end_offset"]
    ]
    spans = [
        sorted((row["first_offset"], row["end_offset"]) for row in rows)
        for rows in grouped(told, lambda row: (row["group"], place(row))).values()
    ]
    return opinion_of(
        any(end > first for _, end in of_one[:number])
        for of_one in spans
        for number, (first, _) in enumerate(of_one)
    )
