"""What an event says of a frame with very many partitions."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from highwater.harness.gate.hub import Event, Hub
from highwater.harness.gate.rules import Match, Rule


def reported(partitions: int) -> Event:
    views = [SimpleNamespace(to_json=lambda number=number: number) for number in range(partitions)]
    frame: Any = SimpleNamespace(
        leader=1, follower=2, client_id="", api_key=1, api_version=11, correlation_id=7,
        connection=1, stage="request", length=100, partitions=views,
    )  # fmt: skip
    events: list[Event] = []
    Hub(events.append).report("seen", frame, cast("Any", SimpleNamespace(rule=Rule(Match()))))
    return events[0]


@pytest.mark.parametrize(("partitions", "left_out"), [(1, None), (64, None), (65, 1), (1000, 936)])
def test_partitions_that_an_event_leaves_out_are_counted(
    partitions: int, left_out: int | None
) -> None:
    event = reported(partitions)

    assert event["partitions"] == list(range(min(partitions, 64)))
    assert event.get("partitions_left_out") == left_out
