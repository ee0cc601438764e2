"""Whom a broker that is isolated does not hear; the nodes of its cluster are literal."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest

from highwater.exploration.drafts import draft
from highwater.exploration.ground import Ground
from highwater.exploration.steps import Schedule, Step, Taken
from highwater.exploration.storms import IsolateBroker, LosePower
from highwater.exploration.views import Promised, View
from highwater.faults.partition_brokers import PartitionBrokers

NOBODY = View(partition=None, ends={}, marks={}, logs={})


@pytest.mark.parametrize(
    ("numbers", "voters", "others"),
    [
        ((1, 2, 3, 100), (100,), (1, 3)),
        ((1, 2, 3, 100, 101, 102), (100, 101, 102), (1, 3)),
        ((1, 2, 3, 100, 200), (200,), (1, 3, 100)),  # ZooKeeper, and a broker that is controller
        ((1, 2, 3), (1, 2, 3), (1, 3)),
    ],
)
def test_controllers_hear_who_is_isolated_also_where_links_to_them_have_a_gate(
    numbers: tuple[int, ...], voters: tuple[int, ...], others: tuple[int, ...]
) -> None:
    nodes = SimpleNamespace(numbers=numbers, voters=voters)
    opened: list[object] = []
    ground = SimpleNamespace(
        play=SimpleNamespace(cluster=SimpleNamespace(nodes=nodes, brokers=(1, 2, 3))),
        open=lambda _name, _broker, fault: opened.append(fault),
    )

    IsolateBroker(2).take(cast("Ground", ground), NOBODY, waits=True)

    assert opened == [PartitionBrokers((2,), others)]


def test_who_is_isolated_in_a_draft_is_so_from_brokers_alone() -> None:
    isolated = Schedule(kafka="4.1.1", steps=(Taken(Step(IsolateBroker(2), waits=False)),))

    text = draft("found-5", isolated)

    assert "play.inject(PartitionBrokers((two,), (one, three)))" in text
    assert "import PartitionBrokers" in text


@pytest.mark.parametrize(
    ("logs", "down", "fits"),
    [
        ({1: [7, 8], 2: [7, 8], 3: [7]}, {}, True),
        ({1: [7, 8], 2: [7], 3: []}, {}, False),  # both were cut off when they lost what they had
        ({1: [7, 8], 2: [7, 8], 3: []}, {2: "dead"}, False),  # and two are down at once
        ({1: [7, 8], 2: [7, 8], 3: [7, 8]}, {}, True),
    ],
)
def test_power_is_lost_only_where_somebody_else_has_what_was_promised(
    logs: dict[int, list[int]], down: dict[int, str], fits: bool
) -> None:
    """What every copy of is gone before it is made again, Kafka does not promise to keep."""
    view = View(
        partition=None, ends={1: 2, 2: 2, 3: 2}, marks={},
        logs={
            each: tuple((at, value, 0) for at, value in enumerate(log))
            for each, log in logs.items()
        },
        promised=Promised(values=frozenset({7, 8}), end_offset=2),
    )  # fmt: skip
    ground = cast("Ground", SimpleNamespace(down=down, frozen=[]))

    assert LosePower(1).fits(ground, view) is fits
