"""Replicas that do not come into the ISR, or do so again and again."""

from __future__ import annotations

from itertools import pairwise

from highwater.checkers.second_opinion.opinion import Opinion, opinion_of
from highwater.checkers.second_opinion.record import Record
from highwater.checkers.second_opinion.rows import Row, grouped, place

LARGEST = 1 << 62
LEFT_S, APART_S = 30, 10
TIMES, FLAPPING_S = 5, 60
OUT, WELL, LEADER, OWN = "out", "well", "the leader's end", "its own end"


def left_behind(record: Record) -> Opinion:
    whole = ("leader", "leader_epoch", "isr", "replicas")
    looks = [row for row in record["replica_states"] if None not in {row[name] for name in whole}]
    watched = grouped(record["liveness"], lambda row: row["broker"])
    return opinion_of(
        _left_behind(record, broker, [*rows, *watched[broker]])
        for rows in grouped(looks, place).values()
        for broker in watched
        if any(str(broker) in row["replicas"].split(",") for row in rows)
    )


def _left_behind(record: Record, broker: int, rows: list[Row]) -> bool | None:
    """Of each time that begins with some row: for how long is all as it should not be?"""
    healed = record.identity.get("healed_ns")
    is_told = type(healed) is int and -LARGEST <= healed <= LARGEST
    least: int = healed if is_told and isinstance(healed, int) else -LARGEST
    moments = [
        (at_ns, _said(broker, mine))
        for at_ns, mine in sorted(grouped(rows, lambda row: row["at_ns"]).items())
    ]
    is_long = is_open = False
    for at in range(len(moments)):
        told: dict[str, tuple[set[object], list[int]]] = {}
        for until, (at_ns, said) in enumerate(moments[at:], at + 1):
            if said is None or not all(_agree(told, at_ns, *each) for each in said):
                break
            times = [told[kind][1] for kind in (OUT, WELL, LEADER) if kind in told]
            if len(times) == 3:
                is_open |= until == len(moments)
                since = max(least, *(each[0] for each in times))
                is_long |= min(each[-1] for each in times) - since > LEFT_S * 10**9
    if is_long:
        return True if is_told else None
    return None if is_open else False


def _said(broker: int, rows: list[Row]) -> list[tuple[str, object]] | None:
    """What rows of one moment say, by kinds; None where one says that it is not left behind."""
    said: list[tuple[str, object]] = []
    for row in rows:
        if "answers" in row:
            if not (row["running"] and row["registered"] and row["answers"]):
                return None
            said.append((WELL, True))
            continue
        member = str(broker)
        if member in row["isr"].split(",") or member not in row["replicas"].split(","):
            return None
        if row["leader"] < 0:
            return None
        said.append((OUT, (row["leader"], row["leader_epoch"])))
        if row["log_end_offset"] is not None:
            said += [(LEADER, row["log_end_offset"])] * (row["broker"] == row["leader"])
            said += [(OWN, row["log_end_offset"])] * (row["broker"] == broker)
    return said


def _agree(
    told: dict[str, tuple[set[object], list[int]]], at_ns: int, kind: str, value: object
) -> bool:
    """Add it to what was told of its kind; whether that goes with it."""
    values, times = told.setdefault(kind, (set(), []))
    is_late = kind != OWN and bool(times) and at_ns - times[-1] > APART_S * 10**9
    values.add(value)
    times.append(at_ns)
    return len(values) == 1 and not is_late


def flapping_isr(record: Record) -> Opinion:
    looks = [
        row
        for row in record["replica_states"]
        if None not in {row["leader"], row["leader_epoch"], row["isr"]} and row["leader"] >= 0
    ]
    told = record.identity.get("disturbed_ns")
    listed = told if isinstance(told, list) else []
    changes_ns = [each for each in listed if type(each) is int and abs(each) <= LARGEST]
    return opinion_of(
        _flaps(member, [mine for _, mine in sorted(grouped(rows, _when).items())], changes_ns)
        for rows in grouped(looks, place).values()
        for member in {each for row in rows for each in row["isr"].split(",")} - {""}
    )


def _when(row: Row) -> int:
    return int(row["at_ns"])


def _flaps(member: str, moments: list[list[Row]], changes_ns: list[int]) -> bool:
    """What comes in does not count where something changed since it was last seen in sync."""
    came: dict[object, list[int]] = {}
    seen_ns = [_when(row) for rows in moments for row in rows if member in row["isr"].split(",")]
    for one, later in pairwise(moments):
        terms = {(row["leader"], row["leader_epoch"]) for row in (*one, *later)}
        is_sure = len({row["isr"] for row in one}) == len({row["isr"] for row in later}) == 1
        was, is_in = (member in rows[0]["isr"].split(",") for rows in (one, later))
        if len(terms) == 1 and is_sure and is_in and not was:
            at_ns = _when(later[0])
            last_ns = max((each for each in seen_ns if each < at_ns), default=float("-inf"))
            if not any(last_ns < each <= at_ns for each in changes_ns):
                came.setdefault(terms.pop(), []).append(at_ns)
    return any(
        sum(0 <= each - first <= FLAPPING_S * 10**9 for each in times) >= TIMES
        for times in came.values()
        for first in times
    )
