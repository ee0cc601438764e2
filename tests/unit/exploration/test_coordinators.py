"""In which order replicas are put; the metadata of their cluster are literal."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import cast

import pytest

from highwater.exploration.coordinators import moved_on, prefer
from highwater.harness.cluster import Cluster
from highwater.harness.model import TopicPartition

WHERE = TopicPartition("t")


class Order:
    """Of the replicas of one partition, and what was asked for."""

    def __init__(self, *replicas: int) -> None:
        self.replicas: Sequence[int] = replicas
        self.leader = replicas[0]
        self.asked: list[Sequence[int]] = []

    def partition(self, _where: TopicPartition) -> Order:
        return self

    def reassign(self, _where: TopicPartition, order: Sequence[int], _timeout_s: float) -> None:
        self.asked.append(order)


@pytest.mark.parametrize(
    ("now", "broker", "replicas", "asked"),
    [
        ((2, 3, 1), 1, (), [(1, 2, 3)]),
        ((2, 3, 1), 2, (), []),
        ((1, 3, 2), 1, (1, 2, 3), [(1, 2, 3)]),  # first already, and the others are to follow so
        ((1, 2, 3), 1, (1, 2, 3), []),
    ],
)
def test_a_preferred_replica_comes_first_and_nothing_is_asked_in_vain(
    now: tuple[int, ...], broker: int, replicas: tuple[int, ...], asked: list[Sequence[int]]
) -> None:
    order = Order(*now)
    cluster = SimpleNamespace(brokers=(1, 2, 3), metadata=order)

    prefer(cast("Cluster", cluster), WHERE, broker, replicas)

    assert order.asked == asked


def test_who_is_alone_goes_on_leading() -> None:
    order = Order(1)
    cluster = SimpleNamespace(brokers=(1,), metadata=order)

    moved_on(cast("Cluster", cluster), WHERE)

    assert order.asked == []
