"""What replicas hold, and whether brokers live."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from highwater.checkers.second_opinion.leader import Leader
from highwater.checkers.second_opinion.opinion import Opinion, opinion_of
from highwater.checkers.second_opinion.record import Record
from highwater.checkers.second_opinion.rows import (
    Row,
    batches,
    grouped,
    identity_of,
    lies,
    place,
    ran_backwards,
    values_of,
)
from highwater.checkers.second_opinion.settings import longest_ms

CONTENT = ("digest", "value", "checksum")
STUCK_NS = 5e9
APART_NS = 10e9
LATE_MS, LAG = 120_000, "replica.lag.time.max.ms"


def replica_divergence(record: Record) -> Opinion:
    logs = grouped(record["replica_logs"], lambda row: (place(row), row["broker"]))
    in_isr = [row for row in record["replica_ends"] if row["in_isr"]]
    return opinion_of(
        finding
        for where, ends in grouped(in_isr, place).items()
        for finding in _compared(
            [
                (_with_start(end, log, is_tiered=record.settings(where[0]).is_tiered), log)
                for end in ends
                for log in [logs.get((where, end["broker"]), [])]
            ],
            is_compacted=record.settings(where[0]).is_compacted,
        )
    )


def _with_start(end: Row, log: list[Row], *, is_tiered: bool) -> Row:
    """At its first record where nobody told where a log starts, or what is below may be remote."""
    first, told = min((row["offset"] for row in log), default=None), end["log_start_offset"]
    if told is None or first is None:
        return {**end, "log_start_offset": first if told is None else told}
    return {**end, "log_start_offset": max(told, first) if is_tiered else told}


def _compared(
    replicas: list[tuple[Row, list[Row]]], *, is_compacted: bool
) -> Iterator[bool | None]:
    """A finding for every committed offset that two replicas have, or ought to have."""
    held: dict[int, list[Row]] = {}
    for end, rows in replicas:
        for row in rows:
            if _calls_committed(end, row["offset"]):
                held.setdefault(row["offset"], []).append(row)
    for offset, rows in held.items():
        has = {row["broker"] for row in rows}
        lacks = [
            end
            for end, log in replicas
            if log
            and not is_compacted
            and all(row["problem"] is None for row in log)
            and _calls_committed(end, offset)
            and end["broker"] not in has
        ]
        sound = [row for row in rows if row["problem"] is None]
        differs = any(len(_known(sound, name)) > 1 for name in (*CONTENT, "is_control"))
        differs |= len({epoch for epoch in _known(sound, "leader_epoch") if epoch >= 0}) > 1
        known = [sum(row[name] is not None for row in sound) for name in CONTENT]
        comparable = max(*known, sum(row["is_control"] for row in sound)) > 1
        if len({_copy(row) for row in rows}) + len(lacks) > 1:
            yield True if differs or lacks else False if comparable else None


def _known(rows: list[Row], name: str) -> set[int]:
    return {row[name] for row in rows if row[name] is not None}


def _copy(row: Row) -> tuple[object, ...]:
    """What is told of a copy; the same record twice in one log is one copy."""
    content = (
        "damaged"
        if row["problem"] is not None
        else "control record"
        if row["is_control"]
        else row["value"]
    )
    return row["broker"], content, row["leader_epoch"]


def _calls_committed(end: Row, offset: int) -> bool:
    mark, start = end["high_watermark"], end["log_start_offset"]
    return None not in {mark, start} and start <= offset < mark


def offsets_out_of_order(record: Record) -> Opinion:
    sound = [row for row in record["replica_logs"] if row["problem"] is None]
    findings: list[bool | None] = []
    for rows in grouped(sound, lambda row: (place(row), row["broker"])).values():
        highest = None
        for batch in batches(rows):
            offsets = [row["offset"] for row in batch]
            wrong = highest is not None and min(offsets) <= highest
            findings.append(None if wrong and record.is_unordered(batch[0]) else wrong)
            highest = max(offsets) if highest is None else max(highest, *offsets)
    return opinion_of(findings)


def log_not_contiguous(record: Record) -> Opinion:
    logs = grouped(record["replica_logs"], lambda row: (place(row), row["broker"]))
    findings: list[bool | None] = []
    for log in logs.values():
        is_damaged = any(row["problem"] is not None for row in log)
        highest = None
        for row in sorted((row for row in log if row["problem"] is None), key=lies):
            gap = highest is not None and row["offset"] > highest + 1
            unclear = (
                is_damaged or record.settings(row["topic"]).is_compacted or record.is_unordered(row)
            )
            findings.append(None if gap and unclear else gap)
            highest = row["offset"] if highest is None else max(highest, row["offset"])
    return opinion_of(findings)


def committed_truncation(record: Record) -> Opinion:
    ends = grouped(record["replica_ends"], place)
    looks = grouped(record["replica_states"], place)
    return opinion_of(
        finding
        for where in {**looks, **ends}
        for finding in _truncations(looks.get(where, []), ends.get(where, []))
    )


def _truncations(looks: list[Row], ends: list[Row]) -> Iterator[bool]:
    marks = [
        (row["at_ns"], row["high_watermark"])
        for row in looks
        if row["leader"] == row["broker"] and row["high_watermark"] is not None
    ]
    for broker in {row["broker"] for row in (*looks, *ends)}:
        own = grouped((row for row in looks if row["broker"] == broker), lambda row: row["at_ns"])
        last = [end for end in ends if end["broker"] == broker]
        was_short, found, last_ns = False, False, None
        for at_ns, rows in [*sorted(own.items()), *([(None, last)] if last else [])]:
            known = [
                mark for seen_ns, mark in marks
                if at_ns is None or (last_ns is not None and seen_ns <= last_ns)
            ]  # fmt: skip
            last_ns = at_ns
            roles = [_role(row, broker) for row in rows]
            told = [
                row["log_end_offset"] if any(role) and known and row.get("settled", True) else None
                for row, role in zip(rows, roles, strict=True)
            ]
            short = all(end is not None and end < max(known) for end in told)
            leads = all(leads for leads, _ in roles)
            wrong = short and (leads or at_ns is None or was_short) and not found
            found = found or wrong
            was_short = short
            if any(end is not None for end in told):
                yield wrong


def _role(row: Row, broker: int) -> tuple[bool, bool]:
    """Whether it leads, and whether it is in sync, as far as this look knows."""
    if "at_ns" not in row:
        return row["is_leader"], row["in_isr"]
    return row["leader"] == broker, _is_member(broker, row)


def stuck_broker(record: Record) -> Opinion:
    findings = []
    for looks in grouped(record["liveness"], lambda row: row["broker"]).values():
        since, before, last = 0, None, 0
        moments = grouped(looks, lambda row: row["at_ns"])
        for at_ns in sorted(moments):
            silent = all(
                row["running"] and row["registered"] and not row["answers"]
                for row in moments[at_ns]
            )
            if silent != before or at_ns - last > APART_NS:
                since, before = at_ns, silent
                findings.append(False)
            last = at_ns
            findings[-1] = silent and at_ns - since >= STUCK_NS
    return opinion_of(findings)


def lagging_in_sync(record: Record) -> Opinion:
    places = grouped(record["replica_states"], place).values()
    return opinion_of(each for looks in places for each in _lags(record, looks))


def _lags(record: Record, looks: Sequence[Row]) -> Iterator[bool | None]:
    """Of looks at the replicas of one partition."""
    known = [
        row
        for row in looks
        if None not in {row["log_end_offset"], row["leader_epoch"], row["leader"]}
    ]
    late_ns = max(LATE_MS, longest_ms(record.identity, LAG, 0) * 3 // 2 + 30_000) * 10**6
    for row in known:
        if row["leader"] == row["broker"] or not _is_member(row["broker"], row):
            continue
        before = [
            one
            for one in known
            if one["broker"] == one["leader"] == row["leader"]
            and one["leader_epoch"] == row["leader_epoch"]
            and one["at_ns"] + late_ns < row["at_ns"]
            and one["isr"] is not None
        ]
        last = max(before, key=lambda one: one["at_ns"], default=None)
        if last is not None and all(
            _is_member(row["broker"], one)
            for one in looks
            if one["isr"] is not None and last["at_ns"] <= one["at_ns"] <= row["at_ns"]
        ):
            few = row["isr"].count(",") < max(record.settings(row["topic"]).min_insync, 1)
            lags = row["log_end_offset"] < last["log_end_offset"]
            yield None if lags and few else lags


def _is_member(broker: int, look: Row) -> bool:
    return str(broker) in (look["isr"] or "").split(",")


def leader_out_of_sync(record: Record) -> Opinion:
    return opinion_of(
        str(row["leader"]) not in row["isr"].split(",")
        for row in record["replica_states"]
        if None not in {row["leader"], row["isr"]} and row["leader"] >= 0
    )


def unseen(record: Record) -> Opinion:
    read = values_of(record.polls)
    shown = values_of([row for row in record.polls if not record.reads_uncommitted(row)])
    findings: list[bool | None] = []
    for row in record.acknowledged:
        leader, where = record.leaders.get(place(row)), place(row)
        stands = [] if leader is None else _acknowledged_copies(record, leader, row)
        if leader is None or not stands or not record.was_passed(where, max(stands)):
            continue
        if leader.log_start is not None and max(stands) < leader.log_start:
            continue
        is_unread = identity_of(row) not in read
        ended = row["completed_ns"]
        untold = leader.log_start is None or record.is_unreadable(where, max(stands))
        untold = untold or ended is None or ran_backwards(row)
        is_veiled = not untold and not is_unread and identity_of(row) not in shown
        if is_veiled and record.passed_since(where, max(stands), as_committed=True) > ended:
            findings.append(True)
            continue
        untold = untold or record.passed_since(where, max(stands)) <= ended
        findings.append(None if is_unread and untold else is_unread)
    return opinion_of(findings)


def _acknowledged_copies(record: Record, leader: Leader, row: Row) -> list[int]:
    """Where the leader's log has copies that are of no attempt that may have been aborted."""
    if row["value"] is None:
        return []
    kept = [each["offset"] for each in leader.rows if each["value"] == row["value"]]
    mine = [each for each in record.final_sends if identity_of(each) == identity_of(row)]
    vain = [
        each for each in mine if each["outcome"] != "ok" and not record.is_plain(each["client"])
    ]
    if not vain or len(kept) > len(vain) + 1:
        return kept
    told = {each["offset"] for each in mine if each["outcome"] == "ok" and each["acks"] == "all"}
    return [offset for offset in kept if offset in told]
