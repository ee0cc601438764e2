"""Rolling upgrades: nodes get another release on the data that they have, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
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
from highwater.harness.versions.catalogue import Kafka, find_kafka
from highwater.harness.versions.upgrading import (
    STEPS,
    Level,
    Step,
    first_level,
    require_step,
    successor,
)

After = Callable[[int], None]


def idle(_node: int) -> None:
    """After each node nothing is done."""


@dataclass(frozen=True, slots=True)
class Upgrade:
    """A node is asked to stop; healing starts it again, of this release and with these settings."""

    node: int
    to: str
    settings: Mapping[str, str] = field(default_factory=dict)

    needs: ClassVar = (NODES, FILES)

    def inject(self, cluster: Cluster) -> AbstractContextManager[Proof]:
        put = partial(cluster.nodes.put, self.node, find_kafka(self.to), self.settings)
        return stopped(cluster, self.node, put)


class Upgrades:
    """Of one play; `restart` takes a node down by a fault, and brings it back."""

    def __init__(
        self,
        scene: Scene,
        restart: Callable[[Fault[Any]], None],
        partitions: Callable[[], Sequence[Partition]],
    ) -> None:
        self.have_begun = False
        self.wait_for_kraft = False  # a migration has begun, and is not over
        self._scene = scene
        self._restart = restart
        self.partitions = partitions
        self._raised: Level | None = None
        self._settings: dict[int, Mapping[str, str]] = {}  # what each node was told last

    def upgrade(self, node: object, release: object) -> None:
        """One node, which goes on as its cluster speaks and writes now."""
        kafka = self._accepted(release, node)
        self._prepare(kafka)
        self._put(int(str(node)), kafka)

    def roll(self, release: object, until: Step, after_each: After) -> None:
        """All nodes, step by step as Kafka's notes on upgrading say, up to and with one of STEPS.

        What has been done before is not done again. `after_each` is called with each node that has
        been restarted, when every ISR is full.
        """
        require_step(until)
        kafka = self._accepted(release, *self._order())
        self._prepare(kafka)
        for step in STEPS[: STEPS.index(until) + 1]:
            self._take(step, kafka, after_each)
        metadata, nodes = self._scene.cluster.metadata, self._scene.cluster.nodes
        if not kafka.kraft and nodes.controller in self._order():
            metadata.move_controller(nodes.controller)

    @property
    def level(self) -> Level:
        cluster = self._scene.cluster
        return self._raised or first_level(cluster.kafka, cluster.spec.settings)

    def _take(self, step: Step, kafka: Kafka, after_each: After) -> None:
        scene = self._scene
        before, level = self.level, self.level.raised(kafka, step)
        if kafka.kraft and step == "protocol" and level != before:
            number = scene.cluster.nodes.raise_metadata_version()
            scene.record.event("metadata", f"metadata.version is {number} from now on")
        self._raised = level  # before a broker is told: from then on there may be no way back
        for node in self._order():
            told = self._settings.get(node, before.settings(kafka))
            is_there = told == level.settings(kafka)
            if self._of(node) != kafka or not is_there:
                self._put(node, kafka)
                after_each(node)

    def _put(self, node: int, kafka: Kafka) -> None:
        scene, nodes = self._scene, self._scene.cluster.nodes
        settings = self.level.settings(kafka)
        said = ", ".join(f"{name}={value}" for name, value in settings.items())
        words = f"Kafka {kafka.name}" + (f" with {said}" if said else "")
        scene.step(f"upgrade: node {node}, Kafka {self._of(node).name}, is restarted as {words}")
        self.have_begun = True
        scene.record.runs(node, self._of(node).name)
        self._restart(Upgrade(node, kafka.name, settings))
        self._settings[node] = settings
        if node in self._voters_apart():
            nodes.await_voter(node)
        else:
            nodes.await_serving(node)
        scene.record.runs(node, kafka.name)
        scene.record.event(
            "broker",
            f"node {node} runs {words}",
            broker=node,
            event="upgraded",
            kafka=kafka.name,
            settings=settings,
        )
        in_sync = "every replica is in sync"
        await_each(scene, in_sync, self.partitions(), Partition.saw_full_isr)

    def _order(self) -> tuple[int, ...]:
        """KRaft's controllers before the brokers, ZooKeeper's broker with the office after them."""
        cluster = self._scene.cluster
        owners = [each for each in cluster.files.owners if each not in cluster.brokers]
        apart = self._voters_apart()
        office = [each for each in owners if each not in apart]
        return (*apart, *cluster.brokers, *office)

    def _voters_apart(self) -> tuple[int, ...]:
        """Controllers that are no brokers; ZooKeeper servers keep the release that they have."""
        cluster = self._scene.cluster
        voters = cluster.nodes.voters if cluster.kafka.kraft else ()
        return tuple(each for each in voters if each not in cluster.brokers)

    def _of(self, node: int) -> Kafka:
        return self._scene.cluster.nodes.runs(node)

    def _accepted(self, release: object, *nodes: object) -> Kafka:
        """The Kafka that is meant; raises UsageError, before anything stops, for what cannot be."""
        cluster = self._scene.cluster
        for needed in (NODES, FILES):
            if needed not in cluster.has:
                raise UsageError(lacking("an upgrade", needed, cluster.has))
        cluster.nodes.require_upgradable()
        if self.wait_for_kraft:
            raise UsageError(
                "nodes keep their release while the cluster leaves ZooKeeper: let "
                "migrate_to_kraft() come to its end first"
            )
        kafka = successor(cluster.kafka, self.level, release)
        known = self._order()
        for node in nodes:
            if type(node) is not int or node not in known:
                raise UsageError(f"expected one of the nodes {known}, saw {node!r:.120}")
            if not cluster.nodes.running(node):
                raise UsageError(f"node {node} is down: heal what took it down, then upgrade it")
        return kafka

    def _prepare(self, kafka: Kafka) -> None:
        """Whatever takes long, while every node still runs."""
        ensure_archive(runtime(kafka))
