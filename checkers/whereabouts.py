"""What stands on the final leader where a lost record stood."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from highwater.checkers.facts import Facts, Place
from highwater.checkers.findings import Findings
from highwater.checkers.rows import Rows, places

CLAIM = "lost-write"
LOOKED_AT = ("broker", "topic", "partition", "offset", "value")

Wanted = Mapping[Place, tuple[int, frozenset[int]]]  # the leader, and offsets in its log
Found = dict[tuple[Place, int], int]  # the smallest value at an offset


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


def tell(findings: Mapping[str, Findings], found: Iterable[Found]) -> None:
    """Complete the witnesses from what was found in each part."""
    smallest = together(found)
    for witness in findings[CLAIM].witnesses:
        place = (witness["topic"], witness["partition"])
        witness["replaced_by"] = smallest.get((place, witness["offset"]))
