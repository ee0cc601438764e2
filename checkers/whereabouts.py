"""Where a lost record still is, and what stands on the final leader where it stood."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from highwater.checkers.facts import Facts, Place
from highwater.checkers.findings import Findings, Witness
from highwater.checkers.parts import LOG, Values
from highwater.checkers.rows import Bools, Rows, places
from highwater.harness.record.ends import ReplicaEnd

CLAIM = "lost-write"
UNTOLD: Witness = {"replaced_by": None, "where": None}  # what is found when all parts are judged
LOOKED_AT = ("broker", "topic", "partition", "offset", "value")

Wanted = Mapping[Place, tuple[int, frozenset[int]]]  # the leader, and offsets in its log
Found = dict[tuple[Place, int], int]  # the smallest value at an offset


def traced(part: Values, row: int) -> Witness:
    """Who was handed the record of a row last, and which replicas have it.

    The rest is found later, see also `traces`.
    """
    same = (part["value"] == part["value"][row]) & (part["place"] == part["place"][row])
    handed = _last_handed(part, same & part.polled)
    if part.leaders[row] < 0:
        return {**handed, "still_on": None, **UNTOLD}
    brokers = np.unique(part["broker"][same & part.is_kind(LOG) & part.known("value")])
    return {**handed, "still_on": ",".join(map(str, brokers)) or "none", **UNTOLD}


def _last_handed(part: Values, polls: Bools) -> Witness:
    rows = np.flatnonzero(polls)
    if not len(rows):
        return {"last_read_by": None, "last_read_ns": None}
    last = int(rows[np.lexsort((part["client"][rows], part.ended_ns[rows]))[-1]])
    return {"last_read_by": part.text("client", last), "last_read_ns": int(part.ended_ns[last])}


def wanted(findings: Mapping[str, Findings], facts: Facts) -> Wanted:
    """Where the witnesses of a loss stood."""
    lost = findings[CLAIM].witnesses if CLAIM in findings else []
    asked: dict[Place, set[int]] = {}
    for witness in lost:
        if witness["offset"] is not None and witness["still_on"] is not None:
            asked.setdefault((witness["topic"], witness["partition"]), set()).add(witness["offset"])
    leaders = {place: facts.leader(place) for place in asked}
    return {
        place: (leader.broker, frozenset(asked[place]))
        for place, leader in leaders.items()
        if leader is not None
    }


def look_for(asked: Wanted, logs: Rows) -> Found:
    """What a part of the replicas' logs has there."""
    found: Found = {}
    where, named = places(logs)
    for number, place in enumerate(named):
        if place in asked:
            leader, offsets = asked[place]
            here = (where == number) & (logs["broker"] == leader) & logs.known("value")
            here &= np.isin(logs["offset"], np.array(sorted(offsets), np.int64))
            pairs = zip(logs["offset"][here].tolist(), logs["value"][here].tolist(), strict=True)
            for offset, value in pairs:
                found[place, offset] = min(value, found.get((place, offset), value))
    return found


def together(found: Iterable[Found]) -> Found:
    """What several parts have at the same places."""
    smallest: Found = {}
    for part in found:
        for where, value in part.items():
            smallest[where] = min(value, smallest.get(where, value))
    return smallest


def tell(findings: Mapping[str, Findings], found: Iterable[Found], facts: Facts) -> None:
    """Complete the witnesses from what was found in each part."""
    smallest = together(found)
    for witness in findings[CLAIM].witnesses:
        place = (witness["topic"], witness["partition"])
        witness["replaced_by"] = smallest.get((place, witness["offset"]))
        witness["where"] = _where(witness, facts)


def _where(witness: Witness, facts: Facts) -> str | None:
    """In words: on which replicas, and why no reader gets it from there."""
    offset, still_on = witness["offset"], witness["still_on"]
    leader = facts.leader((witness["topic"], witness["partition"]))
    if still_on is None or leader is None:
        return None
    if still_on == "none":
        return "on no replica"
    ends = {end.broker: end for end in facts.replicas[witness["topic"], witness["partition"]]}
    kept = [_kept(ends.get(int(broker)), broker, offset) for broker in still_on.split(",")]
    told = f"only on {', '.join(kept)}"
    if witness["replaced_by"] is not None:
        return f"{told}: a suffix that leader {leader.broker} has replaced"
    if None not in {offset, leader.log_end_offset} and offset >= leader.log_end_offset:
        return f"{told}: beyond the end of the log of leader {leader.broker}"
    return told


def _kept(end: ReplicaEnd | None, broker: str, offset: int | None) -> str:
    if end is None or offset is None:
        return broker
    if end.log_start_offset is not None and offset < end.log_start_offset:
        return f"{broker} below its log start"
    if end.high_watermark is not None and offset >= end.high_watermark:
        return f"{broker} beyond its high watermark"
    return broker
