"""Stories of replicas of chance, that are seldom left out of the ISR for long enough.

Each has a chance of its own, so that all other rows are what they are without these.
"""

from __future__ import annotations

import random
from typing import Any

from tests.checkers.chance_rows import look, some
from tests.checkers.conftest import Row

S = 10**9


def in_and_out(chance: random.Random) -> list[Row]:
    """Of the ISR: followers that stay out of it, that come and go, and that are to move."""
    return [*_left_out(chance), *_coming_and_going(chance), *_moving(chance)]


def _left_out(chance: random.Random) -> list[Row]:
    """Looks at a leader, at a follower that is mostly out of the ISR, and at its broker."""
    own = random.Random(repr(chance.getstate()) + "left out")
    if own.random() < 0.6:
        return []
    rows, odd = list[Row](), own.choice([8, 40, 400])
    for second in range(0, 60, own.choice([2, 4, 9])):
        for broker in (1, 5):
            at_ns = second * S + own.randrange(2)
            seen = {"topic": "p", "partition": 0, "broker": broker, "quiet": False}
            term: dict[str, Any] = {
                "leader": some(own, *[1] * odd, 5, -1, None),
                "leader_epoch": some(own, *[0] * odd, 1, None),
            }
            members = {"isr": some(own, *["1"] * odd, "1,5", "", None),
                       "replicas": some(own, *["1,5"] * odd, "1", None)}  # fmt: skip
            end = {"log_end_offset": some(own, *[3] * odd, 4, None)}
            row = {**look(own, at_ns)[1], **seen, **term, **members, **end}
            rows.append(("replica_states", row))
        state = {name: own.random() > 0.5 / odd for name in ("running", "registered", "answers")}
        watched = {"at_ns": second * S + own.randrange(2), "broker": 5, **state}
        if own.random() < 0.9:
            rows.append(("liveness", watched))
    return rows


def _coming_and_going(chance: random.Random) -> list[Row]:
    """Looks at a leader whose ISR a follower enters and leaves: seldom often enough in one term."""
    own = random.Random(repr(chance.getstate()) + "coming and going")
    if own.random() < 0.6:
        return []
    rows, odd = list[Row](), own.choice([8, 40])
    for at, second in enumerate(range(0, 90, own.choice([2, 4, 6]))):
        seen = {"topic": "q", "partition": 0, "broker": 1, "quiet": False, "topic_id": None}
        term = {"leader": some(own, *[1] * odd, 5), "leader_epoch": some(own, *[0] * odd, 1, None)}
        isr = "1,5" if at % 2 else "1"
        members = {"isr": some(own, *[isr] * odd, "1", None), "replicas": "1,5"}
        row = {**look(own, second * S + own.randrange(2))[1], **seen, **term, **members}
        rows.append(("replica_states", row))
    return rows


def _moving(chance: random.Random) -> list[Row]:
    """Looks at a partition that moves, and mostly waits for nobody: seldom for long enough."""
    own = random.Random(repr(chance.getstate()) + "moving")
    if own.random() < 0.6:
        return []
    rows, odd = list[Row](), own.choice([8, 40, 400])
    second = 0
    while second < 60:
        row = {"at_ns": second * S + own.randrange(2), "broker": some(own, 1, 2), "topic": "r"}
        move = {
            "partition": some(own, *[0] * odd, 1),
            "leader": some(own, *[1] * odd, -1),
            "isr": some(own, *["1,3"] * odd, "3,1", "1", ""),
            "replicas": some(own, *["1,2,3"] * odd, "2,3,1", "2,3", ""),
            "adding": some(own, *["3"] * odd, "3,4", ""),
            "removing": some(own, *["1"] * odd, "1,2", ""),
        }
        rows += [("reassignments", {**row, **move})] * some(own, 1, 1, 1, 2)
        second += some(own, *[0, 2, 4, 9] * 9, 10, 11)
    return rows
