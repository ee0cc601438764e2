"""Positions of groups, and for how long their coordinator keeps them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from highwater.faults.targets import OFFSETS
from highwater.harness.model import Scenario
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario


def kept_for_a_day(**told: Any) -> Callable[[Callable[[Play, Partition], None]], Scenario]:
    """A scenario of brokers that keep positions so long, and whose clocks can be set."""
    return scenario(
        claims=("handed-again",),
        plays_on=">=0.10.1",  # before, a broker's timers go by the clock that is set (KAFKA-4051)
        fake_clock=True,
        settings={
            "offsets.retention.minutes": "1440",  # the default up to 1.1
            "offsets.retention.check.interval.ms": "500",
        },
        topic_settings={"min.insync.replicas": "2"},
        **told,
    )


class KeptPositions:
    """Of groups that read a topic, as their coordinator tells them."""

    def __init__(self, play: Play, partition: Partition) -> None:
        self.coordinator = play.cluster.metadata.partition(OFFSETS).leader
        self.asked = play.cluster.probe(self.coordinator)
        self._prefix, self._where = play.topics[0].name, partition.where

    def of(self, group: str) -> int | None:
        """None where none is known."""
        return self.asked.group_position(f"{self._prefix}-{group}", self._where)

    def commit(self, group: str, position: int, kept_s: int) -> None:
        """As somebody does who is in no group, and says for how long it is to be kept."""
        name = f"{self._prefix}-{group}"
        self.asked.commit_position(name, self._where, position, kept_s=kept_s)
