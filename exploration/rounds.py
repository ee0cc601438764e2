"""One schedule on a running cluster, judged at once: for searching, where a record would be slow.

What is found so is played again with a whole record, and judged by Spark.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from highwater.exploration.findings import Finding, finding_of
from highwater.exploration.ground import Ground
from highwater.exploration.searched import TOPIC_SETTINGS
from highwater.exploration.steps import Step, Taken
from highwater.exploration.terrain import Terrain
from highwater.exploration.views import View
from highwater.exploration.walk import Chooser, walk
from highwater.harness.cluster import Cluster
from highwater.harness.endings import end_all
from highwater.harness.errors import ENVIRONMENT, in_words
from highwater.harness.play import Play
from highwater.harness.record.writer import RunRecord

SETTLE_S = 12.0
DECIDED_S = 2.0  # a marker that is written is not replicated at once


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """How one schedule went. The cluster is good for another one where it `is_sound`."""

    taken: Sequence[Taken]
    finding: Finding
    failures: Sequence[str] = ()
    parted: int | None = None
    seconds: float = 0.0
    is_sound: bool = True
    by: str = ""  # the strategy that chose its steps
    seen: Mapping[str, Any] = field(default_factory=dict)

    @property
    def steps(self) -> list[Step]:
        return [each.step for each in self.taken]

    @property
    def danger(self) -> int:
        return max((each.danger for each in self.taken), default=0)


def play_round(
    cluster: Cluster, place: Path, number: int, choose: Chooser, terrain: Terrain
) -> Round:
    """Play on a topic of its own; `place` is a directory for what nobody will read."""
    started = time.monotonic()
    scratch = place / f"round-{number}"
    try:
        with RunRecord(scratch, {}) as record, Play(cluster, record, f"round-{number}") as play:
            partition = play.topic(settings=TOPIC_SETTINGS)[0]
            ground = terrain.ground(play, partition)
            try:
                done = walk(ground, choose)
            finally:
                ground.heal()
            view = _settled(ground)
            finding = finding_of(view)
            is_sound = finding.is_settled and not play.unhealed
            if is_sound:
                is_sound = _deletes(play)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return Round(
        taken=done.taken,
        finding=finding,
        failures=done.failures,
        parted=done.parted,
        seconds=time.monotonic() - started,
        is_sound=is_sound,
    )


def _settled(ground: Ground) -> View:
    """What is there when nothing moves any more; of transactions when all producers have ended."""
    seen: list[View] = []

    def replicated() -> bool:
        seen.append(ground.view())
        return seen[-1].is_replicated or seen[-1].is_beyond_hope or not _are_up(ground)

    def decided() -> bool:
        seen.append(ground.view())
        return seen[-1].is_settled

    ground.soon(replicated, SETTLE_S)
    if seen[-1].is_replicated:
        ground.soon(decided, DECIDED_S)
    return seen[-1]


def _are_up(ground: Ground) -> bool:
    """A broker that has ended by itself comes back no more."""
    cluster = ground.play.cluster
    return all(cluster.nodes.running(each) for each in cluster.brokers)


def _deletes(play: Play) -> bool:
    def delete() -> None:
        for topic in play.topics:
            play.cluster.metadata.delete_topic(topic.name)

    try:
        end_all([delete])
    except ENVIRONMENT as error:
        play.note(f"a topic was not deleted: {in_words(error)}")
        return False
    return True
