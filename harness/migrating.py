"""What a cluster gets that leaves ZooKeeper for KRaft (KIP-866), and what its nodes are then told.

Kafka's documentation, 6.10 of 3.9: controllers are added that may copy the metadata; brokers are
told of them while they still have ZooKeeper; brokers leave ZooKeeper; controllers do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from shutil import rmtree

from highwater.harness import settings
from highwater.harness.assembly import Assembly
from highwater.harness.jvm.runtime import Runtime
from highwater.harness.settings import VoterPorts
from highwater.harness.versions.upgrading import PROTOCOL, Turn

FIRST_CONTROLLER = 300  # of those that come, as many as there are ZooKeeper servers
MAY_MIGRATE = {"zookeeper.metadata.migration.enable": "true"}


class Migrating:
    """Of the parts of one cluster, from when its controllers have been added."""

    def __init__(self, parts: Assembly, kraft: Runtime) -> None:
        """`kraft` is what its brokers run, in the other mode."""
        self._parts = parts
        self._runtime = kraft
        self.before = parts.layout
        self._programs = {each: parts.programs[each] for each in self.before.brokers}
        self.is_given_up = False
        numbers = range(FIRST_CONTROLLER, FIRST_CONTROLLER + len(parts.voters))
        self.layout = replace(
            parts.layout,
            kafka=kraft.kafka,
            voters={each: VoterPorts(parts.free_port()) for each in numbers},
            hosts={**parts.layout.hosts, **{each: parts.site.address(each) for each in numbers}},
        )
        for each in self.controllers:
            parts.add_controller(self.layout, each, kraft, self.settings(each, "copied"))

    @property
    def controllers(self) -> tuple[int, ...]:
        return tuple(self.layout.voters)

    @property
    def brokers(self) -> tuple[int, ...]:
        """Also the one without replicas that has the controller's office in ZooKeeper mode."""
        return tuple(self.before.brokers)

    def settings(self, node: int, stage: Turn) -> Mapping[str, str]:
        """All that a node is told at a stage, see harness.versions.upgrading."""
        if node in self.controllers:
            return self._of_controller(node, stage)
        if stage in {"before", "copied"}:
            _, written = self._programs[node]
            return {**written, **(self._of_both(node) if stage == "copied" else {})}
        return self._of_kraft(node)

    def turn(self, node: int, stage: Turn) -> None:
        """What a node that has ended is to be when it starts again, on the data that it has."""
        put = self._runtime
        if node not in self.controllers and stage in {"before", "copied"}:
            program, _ = self._programs[node]
            put = program.runtime or self._parts.site.runtime
        self._parts.put_anew(node, put, self.settings(node, stage))

    def give_up(self) -> None:
        """Nothing is left of controllers that have ended; others may come in their place."""
        for each in map(self._parts.log_dir, self.controllers):
            if each.exists():
                rmtree(each)
        self.is_given_up = True

    def _of_controller(self, node: int, stage: Turn) -> Mapping[str, str]:
        told = settings.controller_settings(self.layout, node)
        if stage == "final":
            return told
        # By this listener it tells brokers that still are ZooKeeper's what they have to do.
        peers = {"inter.broker.listener.name": "REPL"}
        return {**told, **MAY_MIGRATE, **peers, "zookeeper.connect": self.before.quorum_for(node)}

    def _of_both(self, broker: int) -> Mapping[str, str]:
        """A broker of ZooKeeper's that controllers of KRaft may lead."""
        return {
            **MAY_MIGRATE,
            **settings.sessions(self.layout),
            PROTOCOL: self.layout.kafka.line,
            "controller.quorum.voters": self.layout.quorum_for(broker),
            "controller.listener.names": "CONTROLLER",
        }

    def _of_kraft(self, broker: int) -> Mapping[str, str]:
        spec = self._parts.spec
        told = settings.broker_settings(self.layout, broker, spec.brokers)
        return {**told, **spec.broker_settings.get(broker, {})}
