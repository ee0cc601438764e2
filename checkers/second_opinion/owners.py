"""Whether two members had a partition at once, and both worked on it."""

from __future__ import annotations

from highwater.checkers.second_opinion.opinion import Opinion, opinion_of
from highwater.checkers.second_opinion.record import Record
from highwater.checkers.second_opinion.rows import Row, grouped, place

NEVER = float("inf")


def two_owners(record: Record) -> Opinion:
    told = grouped(record["assignments"], lambda row: (row["group"], place(row)))
    done = grouped(
        (row for row in record["processed"] if 0 <= row["first_offset"] < row["end_offset"]),
        lambda row: (row["group"], place(row)),
    )
    return opinion_of(
        _is_shared(row, rows, done.get(key, []))
        for key, rows in told.items()
        for row in rows
        if row["what"] == "assigned"
    )


def _is_shared(given: Row, told: list[Row], done: list[Row]) -> bool | None:
    """Whether another member held what was given here, and both worked while both held it."""
    others = {row["client"] for row in told + done} - {given["client"]}
    found = [_shares(given, other, told, done) for other in others]
    if True in found:
        return True
    return None if None in found else False


def _shares(given: Row, other: str, told: list[Row], done: list[Row]) -> bool | None:
    since, mine = given["at_ns"], _works(done, given["client"])
    theirs = _works(done, other)
    before = [at for at, what in _told(told, other) if what == "assigned" and at <= since]
    known = min((at for at, what in _told(told, other) if what == "assigned"), default=NEVER)
    latest = _end(told, given["client"], since, surely=False)
    worked = any(since <= at <= latest for at in mine)
    if worked and any(since <= at <= latest and at < known for at in theirs):
        doubt: bool | None = None
    else:
        doubt = False
    if not before:
        return doubt
    surely, perhaps = (
        min(
            _end(told, given["client"], since, surely=sure),
            _end(told, other, max(before), surely=sure),
        )
        for sure in (True, False)
    )
    if all(any(since < at < surely for at in work) for work in (mine, theirs)):
        return True
    may_be = all(any(since <= at <= perhaps for at in work) for work in (mine, theirs))
    return None if may_be else doubt


def _told(told: list[Row], client: str) -> list[tuple[int, str]]:
    return [(row["at_ns"], row["what"]) for row in told if row["client"] == client]


def _works(done: list[Row], client: str) -> list[int]:
    return [row["completed_ns"] for row in done if row["client"] == client]


def _end(told: list[Row], client: str, since: int, *, surely: bool) -> float:
    """Until when a member surely held what it was given then, or may have held it.

    It may have given it up in that moment; who tells no end before it is given it again may have
    given it up at any time between.
    """
    given = [at for at, what in _told(told, client) if what == "assigned"]
    ends = [at for at, what in _told(told, client) if what != "assigned"]
    again = min((at for at in given if at > since), default=NEVER)
    if not surely:
        return min([at for at in ends if at > since] + [again])
    end = min((at for at in ends if at >= since), default=NEVER)
    return since if again != NEVER and end >= again else end
