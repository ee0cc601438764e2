"""Clients on the timeline: their lives, and the partitions that they had."""

from __future__ import annotations

from typing import Any

import pytest

from highwater.reports.axis import time_axis
from highwater.reports.client_lanes import MOST_CLIENTS, client_lanes

MS = 1_000_000
AXIS = time_axis(number * 10 * MS for number in range(11))


def told(at_ms: int, client: str, event: str, *partitions: int) -> dict[str, Any]:
    pairs = {"partitions": [["orders", each] for each in partitions]} if partitions else {}
    return {"at_ns": at_ms * MS, "kind": "client", "client": client, "event": event, **pairs}


def test_a_client_lives_from_its_start_to_its_end() -> None:
    events = [
        told(10, "load", "started"),
        told(30, "load", "paused"),
        told(40, "load", "resumed"),
        told(60, "load", "ended"),
    ]

    (lane,), more = client_lanes(events, AXIS)

    assert lane.label == "load"
    assert [bar.kind for bar in lane.bars] == ["running", "paused", "running"]
    assert [bar.x for bar in lane.bars] == [AXIS.x(each * MS) for each in (10, 30, 40)]
    assert lane.bars[-1].x + lane.bars[-1].width == pytest.approx(AXIS.x(60 * MS), abs=0.1)
    assert more == ""


def test_a_member_shows_what_it_was_assigned_until_it_was_killed() -> None:
    events = [
        told(0, "billing-1", "started"),
        told(10, "billing-1", "assigned", 0, 1),
        told(20, "billing-1", "revoked", 1),
        told(50, "billing-1", "killed"),
        told(50, "billing-2", "assigned", 0),
    ]

    (dead, alive), _ = client_lanes(events, AXIS)

    assert [bar.said for bar in dead.periods] == ["assigned: 0, 1", "assigned: 0"]
    assert dead.periods[-1].x + dead.periods[-1].width == pytest.approx(AXIS.x(50 * MS), abs=0.1)
    assert [mark.symbol for mark in dead.marks] == ["✕ killed"]
    assert [bar.said for bar in alive.periods] == ["assigned: 0"]
    assert alive.bars == []


def test_of_many_clients_the_first_have_lanes() -> None:
    events = [told(0, f"load-{number}", "started") for number in range(MOST_CLIENTS + 3)]

    lanes, more = client_lanes(events, AXIS)

    assert len(lanes) == MOST_CLIENTS
    assert more == "3 more clients took part."


def test_what_nobody_wrote_so_draws_nothing() -> None:
    odd = [
        {"at_ns": 0, "kind": "client"},
        {"at_ns": 0, "kind": "client", "client": 7, "event": "started"},
        {**told(10, "a", "assigned"), "partitions": [["orders"], "x", ["orders", "1"], None]},
        {**told(20, "a", "assigned"), "partitions": 4},
    ]

    (lane,), _ = client_lanes(odd, AXIS)

    assert (lane.bars, lane.periods) == ([], [])
