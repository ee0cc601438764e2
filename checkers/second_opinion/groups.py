"""What groups have committed."""

from __future__ import annotations

from collections.abc import Iterator

from highwater.checkers.second_opinion.record import Opinion, Record, opinion_of
from highwater.checkers.second_opinion.rows import Row, grouped, place, ran_backwards


def commit_regression(record: Record) -> Opinion:
    told = [row for row in record["commits"] if row["outcome"] == "ok" and row["offset"] >= 0]
    groups = grouped(told, lambda row: (row["group"], place(row)))
    return opinion_of(found for rows in groups.values() for found in _went_back(rows))


def _went_back(commits: list[Row]) -> Iterator[bool | None]:
    """Whether each lies below one that had been confirmed before it was asked for."""
    timed = [row for row in commits if row["completed_ns"] is not None and not ran_backwards(row)]
    yield from [None] * (len(commits) - len(timed))
    for row in timed:
        earlier = (one for one in timed if one["completed_ns"] < row["invoked_ns"])
        yield any(one["offset"] > row["offset"] for one in earlier)
