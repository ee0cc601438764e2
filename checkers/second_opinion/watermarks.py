"""High watermarks: what leaders were told by followers, and followers by leaders."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

from highwater.checkers.second_opinion.opinion import Opinion, opinion_of
from highwater.checkers.second_opinion.record import Record
from highwater.checkers.second_opinion.rows import Row, grouped, place


def leader_high_watermark(record: Record) -> Opinion:
    findings: list[bool | None] = []
    for row in _quiet(record):
        if row["leader"] != row["broker"] or not row["isr"]:
            continue
        others = _replicas(record, row) - {row["broker"]}
        members = {int(each) for each in row["isr"].split(",")} - {row["broker"]}
        told = {each: _fetched_in_term(record, each, row) for each in others | members}
        known = [at for each in members if (at := told[each]) is not None]
        is_beyond = row["high_watermark"] > row["log_end_offset"]
        if (not members or len(known) < len(members)) and not is_beyond:
            continue
        highest = min([row["log_end_offset"], *known])
        outside = [told[each] for each in others - members]
        lowest = min([highest, *(at for at in outside if at is not None)])
        mark = row["high_watermark"]
        unclear = None in outside or len(members) + 1 < record.settings(row["topic"]).min_insync
        may_wait = bool(outside) and lowest <= mark
        findings.append(
            None if mark < highest and (unclear or may_wait) else not lowest <= mark <= highest
        )
    return opinion_of(findings)


def _replicas(record: Record, look: Row) -> set[int]:
    """Whoever was looked at as a replica of this partition, or fetched it."""
    looked = {row["broker"] for row in record["replica_states"] if place(row) == place(look)}
    fetched = {
        row["follower"]
        for row in record["fetches"]
        if row["stage"] == "request" and place(row) == place(look)
    }
    return looked | fetched


def _fetched_in_term(record: Record, follower: int, look: Row) -> int | None:
    """What a follower last told the leader of a look, if that leader was in the same term then.

    Another term shows in looks, and in fetches to others. A leader that did not answer may have
    been started again, and leads anew from there. Only the term of epoch 0 has none before it.
    """
    last = _last(record, "request", (look["broker"], follower), look)
    if last is None or look["leader_epoch"] == 0:
        return None if last is None else int(last["fetch_offset"])
    seen = [row for row in record["replica_states"] if row["leader"] is not None]
    asking = [row for row in record["fetches"] if row["stage"] == "request"]
    before = [
        row
        for row in (*seen, *asking)
        if place(row) == place(look) and row["at_ns"] < look["at_ns"]
    ]
    others = [row["at_ns"] for row in before if not _is_of_term(row, look)]
    since = max(others, default=None)
    led_before = since is not None and any(
        row["leader"] == look["broker"] and row["at_ns"] <= since for row in before
    )
    if led_before or (look["leader_epoch"] is not None and look["leader_epoch"] > 0):
        after = [row for row in before if since is None or row["at_ns"] > since]
        own = [row["at_ns"] for row in after if "stage" not in row and _is_of_term(row, look)]
        since = min(own, default=look["at_ns"])
    return None if since is not None and last["at_ns"] <= since else int(last["fetch_offset"])


def _is_of_term(row: Row, look: Row) -> bool:
    if row["leader"] != look["leader"]:
        return False
    if "stage" in row:
        return True
    is_silent = row["broker"] == row["leader"] and row["log_end_offset"] is None
    return not is_silent and row["leader_epoch"] == look["leader_epoch"]


def high_watermark_regression(record: Record) -> Opinion:
    known = [
        row
        for row in record["replica_states"]
        if row["leader"] == row["broker"]
        and None not in {row["high_watermark"], row["leader_epoch"]}
    ]
    findings = []
    for looks in grouped(
        known, lambda row: (place(row), row["broker"], row["leader_epoch"])
    ).values():
        last = max(row["at_ns"] for row in looks)
        for look in looks:
            before = [row["high_watermark"] for row in looks if row["at_ns"] < look["at_ns"]]
            if before and look["at_ns"] < last:
                findings.append(look["high_watermark"] < max(before))
    return opinion_of(findings)


def follower_high_watermark(record: Record) -> Opinion:
    findings = []
    for row in _quiet(record):
        if row["leader"] is None or row["leader"] == row["broker"]:
            continue
        answers = [
            one
            for one in record["fetches"]
            if one["stage"] == "response"
            and one["follower"] == row["broker"]
            and place(one) == place(row)
            and one["at_ns"] < row["at_ns"]
            and one["high_watermark"] is not None
        ]
        told = _last_of(answers, "high_watermark")
        if told is not None and not _has_forgotten(record, row, told["at_ns"]):
            expected = min(row["log_end_offset"], told["high_watermark"])
            findings.append(row["high_watermark"] != expected)
    return opinion_of(findings)


def _has_forgotten(record: Record, look: Row, told_ns: int) -> bool:
    """Whether a replica led, did not answer, or saw another epoch between an answer and a look."""
    looks = [
        row
        for row in record["replica_states"]
        if row["broker"] == look["broker"]
        and (row["leader"] == row["broker"] or row["log_end_offset"] is None)
    ]
    fetched = [row for row in record["fetches"] if row["leader"] == look["broker"]]
    if any(
        place(row) == place(look) and told_ns <= row["at_ns"] < look["at_ns"]
        for row in (*looks, *fetched)
    ):
        return True
    seen = [row for row in record["replica_states"] if place(row) == place(look)]
    others = [
        row["at_ns"]
        for row in seen
        if row["leader_epoch"] != look["leader_epoch"] and row["at_ns"] < look["at_ns"]
    ]
    if not others and not (look["leader_epoch"] or 0) > 0:  # its first epoch, or nobody tells any
        return False
    own = [
        row["at_ns"]
        for row in seen
        if row["leader_epoch"] == look["leader_epoch"]
        and max(others, default=-inf) < row["at_ns"] <= look["at_ns"]
    ]
    return bool(told_ns <= min(own, default=look["at_ns"]))


def _quiet(record: Record) -> Iterator[Row]:
    """Looks while nothing moved, and no fetch of their partition passed at their very moment."""
    passing = {(place(row), row["at_ns"]) for row in record["fetches"]}
    for row in record["replica_states"]:
        is_told = None not in {row["log_end_offset"], row["high_watermark"]}
        if row["quiet"] and is_told and (place(row), row["at_ns"]) not in passing:
            yield row


def _last(record: Record, stage: str, between: tuple[int, int], look: Row) -> Row | None:
    """The last one between a leader and a follower before a look at their partition.

    None where several of the last moment tell several things.
    """
    passed = [
        row
        for row in record["fetches"]
        if row["stage"] == stage
        and (row["leader"], row["follower"]) == between
        and place(row) == place(look)
        and row["at_ns"] < look["at_ns"]
    ]
    return _last_of(passed, "fetch_offset")


def _last_of(rows: list[Row], told: str) -> Row | None:
    at_ns = max((row["at_ns"] for row in rows), default=None)
    last = [row for row in rows if row["at_ns"] == at_ns]
    return last[0] if len({row[told] for row in last}) == 1 else None
