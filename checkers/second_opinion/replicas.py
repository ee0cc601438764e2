"""What replicas hold, and whether brokers live."""

from __future__ import annotations

from collections.abc import Iterator

from highwater.checkers.second_opinion.record import (
    Opinion,
    Record,
    Row,
    grouped,
    opinion_of,
    place,
)

STUCK_NS = 5e9
LATE_NS = 120e9


def replica_divergence(record: Record) -> Opinion:
    logs = grouped(record["replica_logs"], lambda row: (place(row), row["broker"]))
    in_isr = [row for row in record["replica_ends"] if row["in_isr"]]
    return opinion_of(
        finding
        for where, ends in grouped(in_isr, place).items()
        for finding in _compared(
            [(end, logs.get((where, end["broker"]), [])) for end in ends],
        )
    )


def _compared(replicas: list[tuple[Row, list[Row]]]) -> Iterator[bool]:
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
            and all(row["problem"] is None for row in log)
            and _calls_committed(end, offset)
            and end["broker"] not in has
        ]
        digests = {row["digest"] for row in rows} - {None}
        epochs = {row["leader_epoch"] for row in rows if (row["leader_epoch"] or 0) >= 0} - {None}
        if len({_copy(row) for row in rows}) + len(lacks) > 1:
            yield len(digests) > 1 or len(epochs) > 1 or bool(lacks)


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
    mark = end["high_watermark"]
    return mark is not None and (end["log_start_offset"] or 0) <= offset < mark


def offsets_out_of_order(record: Record) -> Opinion:
    sound = [row for row in record["replica_logs"] if row["problem"] is None]
    findings = []
    for rows in grouped(sound, lambda row: (place(row), row["broker"])).values():
        highest = None
        batches = grouped(rows, lambda row: (row["segment"], row["position"]))
        for _, batch in sorted(batches.items()):
            offsets = [row["offset"] for row in batch]
            findings.append(highest is not None and min(offsets) <= highest)
            highest = max(offsets) if highest is None else max(highest, *offsets)
    return opinion_of(findings)


def log_not_contiguous(record: Record) -> Opinion:
    logs = grouped(record["replica_logs"], lambda row: (place(row), row["broker"]))
    findings: list[bool | None] = []
    for log in logs.values():
        is_damaged = any(row["problem"] is not None for row in log)
        highest = None
        for row in sorted(
            (row for row in log if row["problem"] is None),
            key=lambda row: (row["segment"], row["position"], row["offset"]),
        ):
            gap = highest is not None and row["offset"] > highest + 1
            findings.append(None if gap and is_damaged else gap)
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
        own = sorted(
            (row for row in looks if row["broker"] == broker), key=lambda row: row["at_ns"]
        )
        was_short, found, last_ns = False, False, None
        for row in [*own, *(end for end in ends if end["broker"] == broker)]:
            at_ns = row.get("at_ns")
            known = [
                mark for seen_ns, mark in marks
                if at_ns is None or (last_ns is not None and seen_ns <= last_ns)
            ]  # fmt: skip
            leads, in_isr = _role(row, broker)
            last_ns = last_ns if at_ns is None else at_ns
            bound = (leads or in_isr) and bool(known)
            end = row["log_end_offset"]
            short = bound and end is not None and end < max(known)
            wrong = short and (leads or row.get("settled", False) or was_short) and not found
            found = found or wrong
            was_short = short
            if bound and end is not None:
                yield wrong


def _role(row: Row, broker: int) -> tuple[bool, bool]:
    """Whether it leads, and whether it is in sync, as far as this look knows."""
    if "at_ns" not in row:
        return row["is_leader"], row["in_isr"]
    return row["leader"] == broker, str(broker) in (row["isr"] or "").split(",")


def stuck_broker(record: Record) -> Opinion:
    findings = []
    for looks in grouped(record["liveness"], lambda row: row["broker"]).values():
        since, silent_before = 0, None
        for row in sorted(looks, key=lambda row: row["at_ns"]):
            silent = row["running"] and row["registered"] and not row["answers"]
            if silent != silent_before:
                since, silent_before = row["at_ns"], silent
                findings.append(False)
            findings[-1] = silent and row["at_ns"] - since >= STUCK_NS
    return opinion_of(findings)


def leader_high_watermark(record: Record) -> Opinion:
    findings = []
    for row in _quiet(record):
        if row["leader"] != row["broker"] or row["isr"] is None:
            continue
        members = [int(each) for each in row["isr"].split(",") if each != str(row["broker"])]
        asked = [_last(record, "request", row["broker"], each, row) for each in members]
        known = [each["fetch_offset"] for each in asked if each is not None]
        if members and len(known) == len(members):
            findings.append(row["high_watermark"] != min(row["log_end_offset"], *known))
    return opinion_of(findings)


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
        ordered = sorted(looks, key=lambda row: row["at_ns"])
        for at in range(1, len(ordered) - 1):
            before = max(row["high_watermark"] for row in ordered[:at])
            findings.append(ordered[at]["high_watermark"] < before)
    return opinion_of(findings)


def lagging_in_sync(record: Record) -> Opinion:
    known = [
        row
        for row in record["replica_states"]
        if None not in {row["log_end_offset"], row["leader_epoch"], row["leader"]}
    ]
    findings = []
    for row in known:
        if row["leader"] == row["broker"] or str(row["broker"]) not in (row["isr"] or "").split(
            ","
        ):
            continue
        before = [
            one
            for one in known
            if one["broker"] == one["leader"] == row["leader"]
            and (place(one), one["leader_epoch"]) == (place(row), row["leader_epoch"])
            and one["at_ns"] + LATE_NS < row["at_ns"]
        ]
        if before:
            last = max(before, key=lambda one: one["at_ns"])
            findings.append(row["log_end_offset"] < last["log_end_offset"])
    return opinion_of(findings)


def leader_out_of_sync(record: Record) -> Opinion:
    return opinion_of(
        str(row["leader"]) not in row["isr"].split(",")
        for row in record["replica_states"]
        if None not in {row["leader"], row["isr"]} and row["leader"] >= 0
    )


def follower_high_watermark(record: Record) -> Opinion:
    findings = []
    for row in _quiet(record):
        if row["leader"] is None or row["leader"] == row["broker"]:
            continue
        told = _last(record, "response", row["leader"], row["broker"], row)
        if told is not None:
            expected = min(row["log_end_offset"], told["high_watermark"])
            findings.append(row["high_watermark"] != expected)
    return opinion_of(findings)


def _quiet(record: Record) -> Iterator[Row]:
    for row in record["replica_states"]:
        if row["quiet"] and None not in {row["log_end_offset"], row["high_watermark"]}:
            yield row


def _last(record: Record, stage: str, leader: int, follower: int, look: Row) -> Row | None:
    """The last one that passed between these two before a look at their partition."""
    passed = [
        row
        for row in record["fetches"]
        if row["stage"] == stage
        and (row["leader"], row["follower"]) == (leader, follower)
        and place(row) == place(look)
        and row["at_ns"] < look["at_ns"]
    ]
    return max(passed, key=lambda row: row["at_ns"], default=None)
