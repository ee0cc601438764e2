"""What each schedule of a search, or a replay, is played on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from highwater.exploration.committing import is_of_groups
from highwater.exploration.ground import Ground
from highwater.exploration.neighbours import has_neighbour
from highwater.exploration.plot import Plot
from highwater.exploration.searched import IMPATIENT, SEARCHED
from highwater.exploration.steps import Schedule
from highwater.exploration.views import BESIDE
from highwater.harness.partition import Partition
from highwater.harness.play import Play

NEIGHBOUR = "beside"  # what its topic is called


@dataclass(frozen=True, slots=True)
class Terrain:
    """The setting is as a schedule says it, None for that of searches.

    With `of_groups` the log of what groups commit is looked at and moved, in the place of one of
    records; with `has_neighbour` another partition is sent to, and led, on the same brokers.
    """

    setting: Mapping[str, Any] | None = None
    of_groups: bool = False
    has_neighbour: bool = False

    @classmethod
    def of(cls, schedule: Schedule) -> Terrain:
        """What it needs; where its states speak of a neighbour, so shall those of a replay."""
        steps = [each.step for each in schedule.steps]
        states = (word for each in schedule.steps for word in (*each.before, *each.after))
        speaks = any(word.startswith(BESIDE) for word in states)
        return cls(schedule.setting, is_of_groups(steps), speaks or has_neighbour(steps))

    def ground(self, play: Play, partition: Partition) -> Ground:
        ground = Ground(play, partition, frozenset({IMPATIENT}), of_groups=self.of_groups)
        told = SEARCHED if self.setting is None else self.setting
        ground.topic_settings = told.get("topic_settings", {})
        if self.has_neighbour:
            replicas, settings = told.get("replicas", 3), told.get("topic_settings", {})
            topic = play.topic(NEIGHBOUR, replicas=replicas, settings=settings)
            ground.neighbour = Plot(play, topic[0])
        return ground
