"""Groups that stand still."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from highwater.checkers.second_opinion.groups import is_open
from highwater.checkers.second_opinion.opinion import Opinion, opinion_of
from highwater.checkers.second_opinion.record import Record
from highwater.checkers.second_opinion.rows import Row, grouped, offset_of, place

ALLOWED_S, HUGE, LONGEST_NS = 30, 1 << 62, 1 << 61


def stuck_group(record: Record) -> Opinion:
    given = grouped(record["assignments"], lambda row: (row["group"], place(row)))
    return opinion_of(
        _stands_still(record, group, where, _busy_until(record, group, where))
        for group, where in given
    )


def _busy_until(record: Record, group: str, where: Any) -> float:
    """When who had it in the end, or may have had it, was handed something that the group reads."""
    told = [row for row in record["assignments"] if row["group"] == group]
    read, members = {place(row) for row in told}, {row["client"] for row in told}
    own = [row for row in told if place(row) == where]
    has = {
        row["client"]
        for row in own
        if row["what"] == "assigned"
        and row["at_ns"] == max(each["at_ns"] for each in own if each["client"] == row["client"])
    }
    handed = [
        _over(row)
        for row in record.polls
        if record.group_of(row) == group
        and place(row) in read
        and not {row["client"], record.client(row["client"]).get("client_id")} & (members - has)
    ]
    return max(handed, default=float("-inf"))


@dataclass(frozen=True, slots=True)
class _Told:
    since_ns: int
    until_ns: int
    session_ms: int | None

    @property
    def may_take_ns(self) -> int:
        return min((self.session_ms or 0) * 10**6, LONGEST_NS) + ALLOWED_S * 10**9


def _stands_still(record: Record, group: str, where: Any, busy_until: float) -> bool | None:
    rows = [row for row in record["history"] if place(row) == where]
    polls = [row for row in rows if row["action"] == "poll" and row["outcome"] == "ok"]
    mine = [row for row in polls if record.group_of(row) == group]
    begin = _begin(record, (group, where), mine)
    kept, others = _left(record, rows, group, begin)
    told = _told(record, group, where[0])
    is_left = bool(kept or others)
    if not is_left and not _may_be_left(record, (group, where), begin, told):
        return False
    if told is None or told.session_ms is None:
        return None
    moved = max((_over(row) for row in mine), default=float("-inf"))
    if told.until_ns - max(moved, told.since_ns) < told.may_take_ns:
        return False if told.since_ns <= moved < float("inf") else None
    if told.until_ns - busy_until < told.may_take_ns:
        return None
    unknown = [row for row in polls if not record.client(row["client"])]
    if (
        not is_left
        or _may_be_another_s(record, (group, where), begin)
        or any(offset_of(row) < 0 for row in mine + unknown)
        or any(offset_of(row) >= begin for row in unknown)
    ):
        return None
    return True if _was_there_in_time(record, rows, kept, others, told) else None


def _begin(record: Record, whose: tuple[str, Any], mine: list[Row]) -> int:
    every = [row for row in record["commits"] if (row["group"], place(row)) == whose]
    commits = [
        row
        for row in every
        if row["outcome"] in ("ok", "unknown") or is_open(row, record["commits"])
    ]
    asked = max((offset_of(row) for row in every), default=-1)
    if asked < 0 or record.told_of_group(whose[0], "commits") == "auto":
        asked = HUGE << 1
    former = _former_readers(record, whose, mine)
    handed = [
        min(offset_of(row) + 1, asked) if row["client"] in former else offset_of(row) + 1
        for row in mine
    ]
    return max([0, *(offset_of(row) for row in commits), *handed])


def _former_readers(record: Record, whose: tuple[str, Any], mine: list[Row]) -> set[str]:
    """Who had ceased to read when a member was given the partition last."""
    given = [
        row["at_ns"]
        for row in record["assignments"]
        if (row["group"], place(row)) == whose and row["what"] == "assigned"
    ]
    dealt_ns = max(given, default=-HUGE)
    return {
        client
        for client in {row["client"] for row in mine}
        for began_ns in [record.client(client).get("began_ns")]
        if began_ns is not None and began_ns < dealt_ns
        if record.passages.last_of((whose[1], client)) < dealt_ns
    }


def _left(record: Record, rows: list[Row], group: str, begin: int) -> tuple[list[Row], list[Row]]:
    """What was acknowledged there, and what readers that are none of its members were handed."""
    beyond = [row for row in rows if row["outcome"] == "ok" and offset_of(row) >= begin]
    kept = [row for row in beyond if row["action"] == "send" and row["acks"] == "all"]
    others = [
        row
        for row in beyond
        if row["action"] == "poll" and row["value"] is not None
        and record.client(row["client"]) and record.group_of(row) != group
        and not record.reads_uncommitted(row)
    ]  # fmt: skip
    return kept, others


def _may_be_left(record: Record, whose: tuple[str, Any], begin: int, told: _Told | None) -> bool:
    """Whether there may be something of which nobody knows that it was there to be read."""
    group, where = whose
    rows = [row for row in record["history"] if place(row) == where]
    strangers = [row for row in rows if record.group_of(row) != group]
    ends = [row for row in record.endings if row in strangers and row["offset"] is not None]
    read = [row for row in ends if _passed_all(record, row, begin, told)]
    end, at = max(((row["offset"], row["invoked_ns"]) for row in read), default=(-1, -HUGE))
    if any(row["offset"] > max(begin, end) for row in ends):
        return True
    polls = [row for row in strangers if row["action"] == "poll" and row["outcome"] == "ok"]
    sends = [row for row in record.final_sends if row in rows and row["outcome"] != "failed"]
    for row in (*polls, *sends):
        is_blank = row["action"] == "poll" and row["value"] is None and _tells(record, row)
        was_passed = offset_of(row) < end if offset_of(row) >= 0 else row["invoked_ns"] <= at
        if (offset_of(row) < 0 or offset_of(row) >= begin) and (is_blank or not was_passed):
            return True
    leader = record.leaders.get(where)
    logged = leader.rows if leader is not None else []
    return any(not row["is_control"] and row["offset"] >= max(begin, end) for row in logged)


def _tells(record: Record, row: Row) -> bool:
    """Whether a reader is known, and to be handed what is committed and nothing else."""
    return bool(record.client(row["client"])) and not record.reads_uncommitted(row)


def _passed_all(record: Record, end: Row, begin: int, told: _Told | None) -> bool:
    """Whether a reader that got to an end passed everything from here, after all that was done."""
    handed = [
        row["offset"]
        for row in record.polls
        if (place(row), row["client"]) == (place(end), end["client"]) and offset_of(row) >= 0
    ]
    is_first = record.begins_at_the_start(end["client"], end["topic"])
    first = 0 if is_first else min(handed, default=float("inf"))
    is_late = told is not None and end["invoked_ns"] >= told.since_ns
    return _tells(record, end) and is_late and first <= begin


def _may_be_another_s(record: Record, whose: tuple[str, Any], begin: int) -> bool:
    """Whether what it has left may not have been its own, or not there any more."""
    group, (topic, _) = whose
    settings = record.settings(topic)
    is_its = begin > 0 or record.group_begins_at(group) == "earliest"
    return not is_its or settings.deletes or settings.is_compacted


def _was_there_in_time(
    record: Record, rows: list[Row], kept: list[Row], others: list[Row], told: _Told
) -> bool:
    lasting = [row for row in others if row["invoked_ns"] >= told.since_ns]
    in_time = told.until_ns - told.may_take_ns
    if any(_over(row) <= in_time for row in lasting):
        return True
    if not all(record.is_plain(row["client"]) for row in rows if row["action"] == "send"):
        return False
    records = {(row["value"], row["offset"]) for row in lasting}
    return any((row["value"], row["offset"]) in records and _over(row) <= in_time for row in kept)


def _over(row: Row) -> float:
    """When it had surely ended."""
    at: int | None = row["completed_ns"]
    return float("inf") if at is None else max(at, row["invoked_ns"])


def _told(record: Record, group: str, topic: str) -> _Told | None:
    own = _mapping(record.identity.get("steady")).get(group)
    told = _mapping(own)
    since, until, topics = (told.get(name) for name in ("since_ns", "until_ns", "topics"))
    if type(since) is not int or type(until) is not int or not isinstance(topics, list):
        return None
    if not -HUGE <= since <= until <= HUGE or topic not in [str(each) for each in topics]:
        return None
    settings = _mapping(_mapping(record.identity.get("groups")).get(group))
    text = str(settings.get("session.timeout.ms")).strip()
    digits = text[1:] if text[:1] in ("+", "-") else text
    is_number = digits.isascii() and digits.isdecimal() and len(digits) <= 18
    return _Told(since, until, max(0, int(text)) if is_number else None)


def _mapping(content: object) -> Mapping[str, Any]:
    return content if isinstance(content, Mapping) else {}
