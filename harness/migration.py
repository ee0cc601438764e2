"""A cluster leaves ZooKeeper for KRaft while it is used (KIP-866), node by node."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from highwater.harness.archive import ensure_archive
from highwater.harness.cluster import FILES, NODES, Cluster, Fault, lacking
from highwater.harness.errors import UsageError
from highwater.harness.jvm.runtime import runtime
from highwater.harness.model import Proof
from highwater.harness.partition import Partition
from highwater.harness.restart import stopped
from highwater.harness.scene import Scene
from highwater.harness.topic import await_each
from highwater.harness.upgrades import Upgrades
from highwater.harness.versions.upgrading import (
    STAGES,
    Stage,
    Turn,
    require_migrates,
    require_stage,
)


@dataclass(frozen=True, slots=True)
class Migrate:
    """A node is asked to stop; healing starts it again as it is to be at this stage."""

    node: int
    stage: Turn

    needs: ClassVar = (NODES, FILES)

    def inject(self, cluster: Cluster) -> AbstractContextManager[Proof]:
        return stopped(cluster, self.node, partial(cluster.nodes.turn, self.node, self.stage))


class Migration:
    """Of one play, after what `upgrades` has done; `restart` takes a node down by a fault."""

    def __init__(
        self,
        scene: Scene,
        restart: Callable[[Fault[Any]], None],
        upgrades: Upgrades,
    ) -> None:
        self._scene = scene
        self._restart = restart
        self._upgrades = upgrades
        self._done: list[Stage] = []
        self._is_final = False  # from when the first controller is told: there is no way back
        self._is_given_up = False  # KRaft's controllers have ended, and brokers are as they were
        self._brokers: Sequence[int] = ()

    def migrate(self, until: Stage) -> None:
        """Stage by stage, up to and with one; what has been done is not done again."""
        require_stage(until)
        if self._is_given_up:
            raise UsageError("the migration is being taken back: return_to_zookeeper() goes on")
        stages = STAGES[len(self._done) : STAGES.index(until) + 1]
        if not self._done:
            self._require_possible()
        self._require_running(stages)
        for stage in stages:
            self._take(stage)
            self._done.append(stage)
        self._upgrades.wait_for_kraft = self._done != [*STAGES]

    def take_back(self) -> None:
        """Brokers have ZooKeeper alone again, and KRaft's controllers are gone.

        As Kafka's documentation, 6.10 of 3.9, says: brokers that have left ZooKeeper come back to
        it; the controllers end, and a broker is elected in the place of theirs as soon as
        ZooKeeper has forgotten them; then brokers are told of no controllers any more. What has
        failed half-way goes on, and is not done again.
        """
        if not self._done or self._is_final:
            raise UsageError(
                "expected a migration whose metadata are copied and whose controllers are not "
                f"final, saw {'one that is over' if self._done else 'none'}"
            )
        scene, nodes = self._scene, self._scene.cluster.nodes
        self._require_all_running()
        if not self._is_given_up:
            self._done = ["copied"]  # of the brokers some may have left, and will not have
            self._turn([each for each in self._there if nodes.runs(each).kraft], "copied")
            scene.step("back to ZooKeeper: KRaft's controllers end, and a broker is elected")
            self._is_given_up = True
        if scene.cluster.kafka.kraft:
            nodes.give_up_migration()
            scene.record.event("metadata", "ZooKeeper has the metadata, as before")
        self._turn(self._there, "before")
        self._done, self._is_given_up, self._upgrades.wait_for_kraft = [], False, False
        if nodes.controller in scene.cluster.files.owners:
            scene.cluster.metadata.move_controller(nodes.controller)

    def _take(self, stage: Stage) -> None:
        nodes = self._scene.cluster.nodes
        self._is_final = stage == "final"
        if stage == "copied":
            self._prepare()
            self._upgrades.have_begun = self._upgrades.wait_for_kraft = True
            self._brokers = nodes.begin_migration()
        self._turn(nodes.voters if stage == "final" else self._there, stage)
        if stage == "copied":
            nodes.await_copied()
            self._scene.record.event("metadata", "KRaft's controllers have copied the metadata")
        if stage == "final":
            nodes.end_zookeeper()
            self._scene.record.event("metadata", "ZooKeeper's servers have ended")

    @property
    def _there(self) -> Sequence[int]:
        """The brokers that have not left the cluster for good."""
        return [each for each in self._brokers if each in self._scene.cluster.files.owners]

    def _turn(self, numbers: Iterable[int], stage: Turn) -> None:
        scene, nodes = self._scene, self._scene.cluster.nodes
        for node in numbers:
            scene.step(f"migration to KRaft, stage {stage}: node {node} is restarted")
            scene.record.runs(node, nodes.runs(node).name)
            self._restart(Migrate(node, stage))
            if node in nodes.voters:
                nodes.await_voter(node)
            else:
                nodes.await_serving(node)
            scene.record.runs(node, nodes.runs(node).name)
            said = f"node {node} has been restarted for the migration's stage {stage}"
            scene.record.event("broker", said, broker=node, event="migrated", stage=stage)
            in_sync = "every replica is in sync"
            await_each(scene, in_sync, self._upgrades.partitions(), Partition.saw_full_isr)

    def _require_possible(self) -> None:
        """Raises UsageError, before anything stops, for a cluster that cannot."""
        cluster = self._scene.cluster
        for needed in (NODES, FILES):
            if needed not in cluster.has:
                raise UsageError(lacking("a migration", needed, cluster.has))
        cluster.nodes.require_upgradable()
        if cluster.spec.gated_metadata:
            raise UsageError("controllers that come have no gate: expected gated_metadata=False")
        for node in cluster.files.owners:
            require_migrates(cluster.nodes.runs(node), self._upgrades.level)

    def _require_running(self, stages: Sequence[Stage]) -> None:
        """Raises UsageError, before anything stops, where one is down that these restart or ask."""
        nodes = self._scene.cluster.nodes
        down = [each for each in nodes.numbers if not nodes.running(each)] if stages else []
        votes = [each for each in nodes.voters if each not in down]
        needs_all = "final" in stages or 2 * len(votes) <= len(nodes.voters)
        for node in down:
            if needs_all or node not in nodes.voters:
                raise UsageError(f"node {node} is down: heal what took it down, then migrate")

    def _require_all_running(self) -> None:
        """Raises UsageError, before anything stops, where one is down that is not given up."""
        nodes = self._scene.cluster.nodes
        for node in nodes.numbers:
            runs = nodes.running(node)
            if nodes.frozen(node) or not (runs or (self._is_given_up and node in nodes.voters)):
                how = "frozen" if runs else "down"
                raise UsageError(f"node {node} is {how}: heal that first, then go back")

    def _prepare(self) -> None:
        """Whatever takes long, while every node still runs."""
        cluster = self._scene.cluster
        ensure_archive(runtime(cluster.nodes.runs(cluster.brokers[0]).in_kraft))
