"""What groups have committed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from highwater.checkers.second_opinion.opinion import Opinion, opinion_of
from highwater.checkers.second_opinion.readers import (
    may_be_gone_or_aborted,
    shown_polls,
    still_stands,
)
from highwater.checkers.second_opinion.record import Record
from highwater.checkers.second_opinion.rows import Row, grouped, offset_of, place, ran_backwards


def commit_regression(record: Record) -> Opinion:
    told = [row for row in record["commits"] if row["outcome"] == "ok" and row["offset"] >= 0]
    groups = grouped(told, lambda row: (row["group"], place(row)))
    return opinion_of(found for rows in groups.values() for found in _went_back(rows))


def unprocessed(record: Record) -> Opinion:
    handed = grouped(shown_polls(record), place)
    told = [row for row in record["commits"] if row["offset"] >= 0]
    commits = grouped(told, lambda row: (row["group"], place(row)))
    done = [row for row in record["processed"] if 0 <= row["first_offset"] < row["end_offset"]]
    telling = {row["group"] for row in done} | {*record.groups}
    of_known = (
        found
        for (group, where), rows in commits.items()
        for found in _left_undone(
            record,
            handed.get(where, []),
            rows,
            [row for row in done if row["group"] == group and place(row) == where],
            tells=group in telling,
        )
    )
    return opinion_of([*of_known, *_undone_by_unseen(record, done)])


def _undone_by_unseen(record: Record, done: list[Row]) -> Iterator[None]:
    """A doubt for each offset handed to a group whose commits nobody saw, and not processed."""
    unseen = _unseen(record)
    handed = grouped(shown_polls(record), lambda row: (record.group_of(row), place(row)))
    for (group, where), rows in handed.items():
        own = [row for row in done if row["group"] == group and place(row) == where]
        for offset in {row["offset"] for row in rows if group in unseen}:
            if not any(row["first_offset"] <= offset < row["end_offset"] for row in own):
                yield None


def _unseen(record: Record) -> set[str]:
    """Groups whose libraries commit, and of which no commit is on the record."""
    seen = {row["group"] for row in record["commits"] if row["offset"] >= 0}
    return {
        group
        for group in record.groups
        if group not in seen and record.told_of_group(group, "commits") == "auto"
    }


def _left_undone(
    record: Record, handed: list[Row], commits: list[Row], done: list[Row], *, tells: bool
) -> Iterator[bool | None]:
    """For each offset below the last position, whether nobody of one group has processed it."""
    span = span_of(record, commits, done)
    if span is None:
        return
    excused = may_be_gone_or_aborted(record, shown_polls(record))
    for offset, values in grouped(handed, lambda row: row["offset"]).items():
        if not span.has(offset):
            continue
        if any(row["first_offset"] <= offset < row["end_offset"] for row in done):
            yield False
            continue
        is_doubtful = not tells or span.is_unsure(offset) or not still_stands(record, values)
        yield None if is_doubtful or excused(place(values[0]), offset) else True


@dataclass(frozen=True, slots=True)
class Span:
    """What was a group's to process, as far as it is known to have committed."""

    asked_from: int
    begin: int
    committed: int
    surely: int

    def has(self, offset: int) -> bool:
        return self.asked_from <= offset < self.committed

    def is_unsure(self, offset: int) -> bool:
        """Whether it may not have been the group's, or may not have been committed after all."""
        return offset < self.begin or offset >= self.surely


def span_of(record: Record, commits: list[Row], done: list[Row]) -> Span | None:
    """Of one group in one partition; None where nothing was confirmed to it."""
    confirmed = [row for row in commits if row["outcome"] == "ok"]
    if not confirmed:
        return None
    last = [row for row in confirmed if not _is_followed(row, confirmed)]
    unknown = [row for row in commits if row["outcome"] == "unknown" or is_open(row, commits)]
    first = [row for row in confirmed if not any(_is_followed(one, [row]) for one in confirmed)]
    known = min([row["offset"] for row in first] + [row["first_offset"] for row in done])
    begins_at = record.group_begins_at(confirmed[0]["group"])
    return Span(
        asked_from=known if begins_at == "latest" else 0,
        begin=0 if begins_at == "earliest" else known,
        committed=max(row["offset"] for row in last),
        surely=min(row["offset"] for row in last + unknown),
    )


def handed_again(record: Record) -> Opinion:
    named = [row for row in record.polls if record.group_of(row) and row["value"] is not None]
    placed = [row for row in named if row["offset"] is not None and row["offset"] >= 0]
    twins = grouped(
        placed, lambda row: (record.group_of(row), place(row), row["offset"], row["value"])
    )
    told = [row for row in record["commits"] if row["offset"] >= 0]
    commits = grouped(told, lambda row: (row["group"], place(row)))
    unseen = _unseen(record)
    told_of = [
        None
        if group in unseen and not _was_first(row, same)
        else _is_repeated(record, row, same, commits.get((group, where), []))
        for (group, where, _, _), same in twins.items()
        for row in same
    ]
    return opinion_of([*told_of, *_of_strangers(record, placed, commits)])


def _of_strangers(
    record: Record, placed: list[Row], commits: Mapping[Any, list[Row]]
) -> Iterator[None]:
    """A doubt for what somebody was handed again, or before, who may be a member."""
    unknown = [
        row
        for row in record.polls
        if not record.client(row["client"]) and row["value"] is not None and offset_of(row) >= 0
    ]
    for (group, where), own in commits.items():
        highest = max((row["offset"] for row in own if row["outcome"] == "ok"), default=0)
        its = [row for row in placed if record.group_of(row) == group]
        handed = [row for row in (*its, *unknown) if place(row) == where]
        for (_, offset), same in grouped(handed, lambda row: (row["value"], row["offset"])).items():
            if offset < highest and len(same) > 1 and any(row in unknown for row in same):
                yield None


def _is_repeated(record: Record, row: Row, same: list[Row], commits: list[Row]) -> bool | None:
    """Whether its group had been handed a record before, and had committed a position beyond it.

    The position is that of when the reader began.
    """
    others, began_ns = [each for each in same if each is not row], record.began_ns(row)
    confirmed = [one for one in commits if one["outcome"] == "ok"]
    is_timed = began_ns is not None and not ran_backwards(row) and began_ns <= row["invoked_ns"]
    over = [
        one
        for one in confirmed
        if is_timed and _is_timed(one) and one["completed_ns"] < (began_ns or 0)
    ]
    is_done = any(one["offset"] > row["offset"] for one in over) and _was_finished(record, row)
    if _was_first(row, same) and not is_done:
        return False
    last = [one for one in over if not any(_was_over(one, each) for each in over)]
    untimed = [one for one in confirmed if not _is_timed(one)]
    may_count = last + untimed if is_timed else confirmed
    if not any(one["offset"] > row["offset"] for one in may_count):
        return False
    later = [
        one for one in commits
        if one["outcome"] != "failed" and one not in over and not _is_superseded(one, commits)
        and not _was_over(row, one)
    ]  # fmt: skip
    is_again = is_done or any(_was_over(each, row) for each in others)
    beyond = bool(last) and all(one["offset"] > row["offset"] for one in last + later)
    return True if is_timed and is_again and beyond else None


def _was_finished(record: Record, row: Row) -> bool:
    """Whether its group told that it had finished with a record when that was acknowledged."""
    group, where, offset = record.group_of(row), place(row), row["offset"]
    acked = [
        each["completed_ns"]
        for each in record.acknowledged
        if (place(each), each["value"], each["offset"]) == (where, row["value"], offset)
        and _is_timed(each)
    ]
    return any(
        each["group"] == group
        and place(each) == where
        and 0 <= each["first_offset"] <= offset < each["end_offset"]
        and min(acked, default=float("inf")) <= each["completed_ns"] < row["invoked_ns"]
        for each in record["processed"]
    )


def _was_first(row: Row, same: list[Row]) -> bool:
    """Whether all others of one record were surely handed out later."""
    return all(_was_over(row, each) for each in same if each is not row)


def _is_timed(row: Row) -> bool:
    return row["completed_ns"] is not None and not ran_backwards(row)


def _was_over(one: Row, other: Row) -> bool:
    """Whether one had surely ended before the other one began."""
    if not _is_timed(one) or ran_backwards(other):
        return False
    return bool(one["completed_ns"] < other["invoked_ns"])


def _is_superseded(commit: Row, others: list[Row]) -> bool:
    return commit["outcome"] == "invoked" and not is_open(commit, others)


def is_open(commit: Row, others: list[Row]) -> bool:
    """Whether nobody tells how it ended."""
    same = ("group", "client", "topic", "partition", "offset", "invoked_ns")
    return commit["outcome"] == "invoked" and not any(
        other["outcome"] != "invoked" and all(other[name] == commit[name] for name in same)
        for other in others
    )


def _is_followed(commit: Row, others: list[Row]) -> bool:
    """Whether another one began after it was over."""
    if commit["completed_ns"] is None or ran_backwards(commit):
        return False
    return any(
        commit["completed_ns"] < other["invoked_ns"] and not ran_backwards(other)
        for other in others
    )


def _went_back(commits: list[Row]) -> Iterator[bool | None]:
    """Whether each lies below one that had been confirmed before it was asked for."""
    timed = [row for row in commits if row["completed_ns"] is not None and not ran_backwards(row)]
    yield from [None] * (len(commits) - len(timed))
    for row in timed:
        earlier = (one for one in timed if one["completed_ns"] < row["invoked_ns"])
        yield any(one["offset"] > row["offset"] for one in earlier)
