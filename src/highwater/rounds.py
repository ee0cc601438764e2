"""Schedules on clusters of one Kafka, one after the other; a cluster that suffered is replaced."""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from pathlib import Path

from highwater.backends import Backend
from highwater.cells import Cell
from highwater.clusters import Clusters
from highwater.exploration.choosing import Strategy
from highwater.exploration.findings import Finding
from highwater.exploration.rounds import Round, play_round
from highwater.exploration.scenarios import as_scenario
from highwater.exploration.steps import Schedule, Step
from highwater.exploration.terrain import Terrain
from highwater.exploration.walk import Chooser, following
from highwater.fetching import runtime_with_progress
from highwater.harness.errors import (
    ENVIRONMENT,
    InfrastructureError,
    Interrupted,
    UsageError,
    in_words,
)
from highwater.harness.kafka_cluster import KafkaCluster
from highwater.harness.lifetime import Lifetime
from highwater.harness.patience import is_interrupted
from highwater.harness.versions.catalogue import Kafka

PLAINS = Terrain()
Tell = Callable[[str], None]
TRIES = 2
# Schedules until a cluster is replaced: what its gate has seen, and its topics, are kept as long.
WORN_OUT = 200
MOST_BROKEN = 5  # clusters in a row that did not come up


def ground_of(kafka: Kafka, terrain: Terrain) -> Cell:
    """What schedules are played on; raises UsageError where this Kafka has no such cluster."""
    schedule = Schedule(kafka=kafka.name, steps=(), setting=terrain.setting)
    scenario = as_scenario("explore", schedule)
    cell = Cell(scenario=scenario, kafka=kafka, control=None, backend=Backend())
    cell.spec.require(kafka)
    return cell


class Rounds(Lifetime):
    """Clusters for schedules; `played` counts these, and `clusters` what they took."""

    def __init__(
        self,
        kafka: Kafka,
        place: Path,
        tell: Tell,
        *,
        terrain: Terrain = PLAINS,
        offline: bool = False,
    ) -> None:
        super().__init__()
        self.kafka = kafka
        self.played = 0
        self.clusters = 0
        self._place = place
        self._terrain = terrain
        self._cell = ground_of(kafka, terrain)
        runtimes = {kafka.name: runtime_with_progress(kafka, offline=offline)}
        self._clusters = Clusters(place, runtimes, tell, tell)
        self._cluster: KafkaCluster | None = None
        self._uses = 0  # of this cluster
        self._numbers = itertools.count(1)
        self.loses_clusters = False  # the next one boots while this one is played on
        self._broken = 0  # clusters in a row

    def _begin(self) -> None:
        self._ending.enter_context(self._clusters)

    def play(self, choose: Chooser) -> Round:
        """One schedule; what the environment does to it is told, and proves nothing.

        Raises InfrastructureError where MOST_BROKEN clusters in a row do not come up.
        """
        self.played += 1
        started = time.monotonic()
        try:
            if self._cluster is None:
                self.clusters += 1
                self._cluster, self._uses = self._clusters.take(self._cell), 0
                self._broken, started = 0, time.monotonic()
                if self.loses_clusters:
                    self._clusters.prepare(self._cell)
            self._uses += 1
            number = next(self._numbers)
            told = play_round(self._cluster, self._place, number, choose, self._terrain)
        except UsageError:
            raise
        except ENVIRONMENT as error:
            told = self._unplayed(error, time.monotonic() - started)
        if is_interrupted():
            raise Interrupted
        # The log of positions outlives a schedule, and so does what has become of it.
        is_marred = self._terrain.of_groups and told.finding.found
        if is_marred or not told.is_sound or self._uses >= WORN_OUT:
            self._cluster = None
        return told

    def _unplayed(self, error: Exception, seconds: float) -> Round:
        """What the environment did is told; where it lets no cluster come up, nothing is played."""
        if is_interrupted():
            raise Interrupted from error
        self._broken += self._cluster is None
        if self._broken >= MOST_BROKEN:
            raise InfrastructureError(
                f"expected a cluster of Kafka {self.kafka.name} to play schedules on, saw "
                f"{self._broken} in a row that did not come up, the last one as {in_words(error)}"
            ) from error
        seconds = seconds if self._cluster is not None else 0.0  # starts are not counted
        finding = Finding(told=in_words(error), is_settled=False)
        return Round(taken=(), finding=finding, is_sound=False, seconds=seconds)

    def play_by(self, strategy: Strategy, rng: random.Random) -> Round:
        """A schedule that the strategy chooses."""
        strategy.begin(rng)
        return replace(self.play(strategy), by=strategy.chosen)

    def fails(
        self, steps: Sequence[Step], *, always: bool, claims: AbstractSet[str] = frozenset()
    ) -> bool:
        """Whether something is found at each of two tries, or with `always` not, at one of them.

        Of a race what happens sometimes is kept; of what happens each time nothing less will do.
        Where `claims` are given one of these has to be violated: anything else is another finding.
        """
        tries = (is_of(self.play(following(steps)).finding, claims) for _ in range(TRIES))
        return all(tries) if always else any(tries)


def is_of(finding: Finding, claims: AbstractSet[str]) -> bool:
    """Whether one of these claims is violated; without any, whether something is found."""
    return bool(claims & {*finding.claims}) if claims else finding.found
