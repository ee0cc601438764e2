"""What groups have committed."""

from __future__ import annotations

from collections.abc import Iterator

from highwater.checkers.second_opinion.readers import may_be_gone_or_aborted
from highwater.checkers.second_opinion.record import Opinion, Record, opinion_of
from highwater.checkers.second_opinion.rows import Place, Row, grouped, place, ran_backwards


def commit_regression(record: Record) -> Opinion:
    told = [row for row in record["commits"] if row["outcome"] == "ok" and row["offset"] >= 0]
    groups = grouped(told, lambda row: (row["group"], place(row)))
    return opinion_of(found for rows in groups.values() for found in _went_back(rows))


def unprocessed(record: Record) -> Opinion:
    handed = {
        (place(row), row["offset"])
        for row in record.polls
        if row["offset"] is not None and row["offset"] >= 0 and not record.reads_uncommitted(row)
    }
    done = grouped(
        (row for row in record["processed"] if 0 <= row["first_offset"] < row["end_offset"]),
        lambda row: (row["group"], place(row)),
    )
    told = [row for row in record["commits"] if row["outcome"] == "ok" and row["offset"] >= 0]
    commits = grouped(told, lambda row: (row["group"], place(row)))
    excused = may_be_gone_or_aborted(record)

    def is_left(at: tuple[str, Place], offset: int) -> bool | None:
        if any(row["first_offset"] <= offset < row["end_offset"] for row in done[at]):
            return False
        return None if excused(at[1], offset) else True

    return opinion_of(
        is_left(at, offset)
        for at in done.keys() & commits.keys()
        for begin in [min(row["first_offset"] for row in done[at])]
        for end in [max(row["offset"] for row in commits[at])]
        for where, offset in handed
        if where == at[1] and begin <= offset < end
    )


def _went_back(commits: list[Row]) -> Iterator[bool | None]:
    """Whether each lies below one that had been confirmed before it was asked for."""
    timed = [row for row in commits if row["completed_ns"] is not None and not ran_backwards(row)]
    yield from [None] * (len(commits) - len(timed))
    for row in timed:
        earlier = (one for one in timed if one["completed_ns"] < row["invoked_ns"])
        yield any(one["offset"] > row["offset"] for one in earlier)
