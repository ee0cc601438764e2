"""The nodes of a cluster that stands on a site of ours: started, ended, added and removed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from highwater.harness.assembly import Assembly
from highwater.harness.cluster import Node
from highwater.harness.errors import UsageError
from highwater.harness.jvm.runtime import runtime
from highwater.harness.metadata.features import METADATA_VERSION, features_by, raise_feature
from highwater.harness.metadata.kraft import KRaftMetadata
from highwater.harness.metadata.quorum import Quorum
from highwater.harness.metadata.zookeeper import ZooKeeperMetadata
from highwater.harness.migrating import Migrating
from highwater.harness.probes.wire import Wire
from highwater.harness.settings import CONTROLLER_ID, Layout
from highwater.harness.versions.catalogue import Kafka
from highwater.harness.versions.upgrading import Turn
from highwater.harness.wait import wait_until

START_TIMEOUT_S = 90.0


class SiteNodes:
    """Those of an assembly; what they are told of one another is in `metadata`."""

    def __init__(
        self,
        parts: Assembly,
        metadata: ZooKeeperMetadata | KRaftMetadata,
        moved: Callable[[ZooKeeperMetadata], ZooKeeperMetadata | KRaftMetadata],
    ) -> None:
        """`moved` is called when others have the metadata, and says who reads them from then on."""
        self.on_event: Callable[[int, str], None] | None = None
        self._parts = parts
        self._metadata = metadata
        self._moved = moved
        self._migrating: Migrating | None = None
        self._frozen: set[int] = set()
        self._quorum = Quorum({each: parts.leading(each) for each in parts.voters})

    def close(self) -> None:
        """Ask nobody any more."""
        self._quorum.close()

    @property
    def controller(self) -> int:
        has_own = self._parts.site.members is not None and self._parts.kafka.kraft
        return self.voters[0] if has_own else CONTROLLER_ID

    @property
    def voters(self) -> tuple[int, ...]:
        return self._parts.voters

    @property
    def numbers(self) -> tuple[int, ...]:
        return tuple(dict.fromkeys((*self._parts.owners, *self.voters)))

    def __getitem__(self, number: int) -> Node:
        return self._parts.nodes[number]

    def start(self, number: int) -> None:
        """Start a node that has ended, with its old ports and directories."""
        self[number].start()
        self._tell(number, "started")

    def terminate(self, number: int) -> None:
        self[number].terminate()
        self._tell(number, "terminated")

    def kill(self, number: int) -> None:
        self[number].kill()
        self._frozen.discard(number)
        self._tell(number, "killed")

    def pause(self, number: int) -> Mapping[str, Any]:
        """What was seen of it."""
        self[number].pause()
        self._frozen.add(number)
        self._tell(number, "paused")
        return {"kernel state": "stopped"}

    def resume(self, number: int) -> None:
        self[number].resume()
        self._frozen.discard(number)
        self._tell(number, "resumed")

    def running(self, number: int) -> bool:
        return self[number].running

    def frozen(self, number: int) -> bool:
        return number in self._frozen

    def clock(self, number: int) -> Path:
        return self._parts.clock(number)

    def runs(self, number: int) -> Kafka:
        """What a node is of: that of its cluster, until it is upgraded."""
        return self._parts.runs[number]

    def put(self, number: int, kafka: Kafka, changed: Mapping[str, str]) -> None:
        """Another binary on the data of a node that has ended, with these settings changed.

        Raises UsageError where nodes keep their release, before anything is changed.
        """
        self.require_upgradable()
        self._parts.put(number, runtime(kafka), changed)

    def require_upgradable(self) -> None:
        """Raises UsageError where nodes keep the release that they have."""
        if self._parts.site.keeps_release:
            raise UsageError(f"no node can be upgraded: {self._parts.site.keeps_release}")

    def await_voter(self, voter: int) -> None:
        """Wait until a voter is back among the others; raises DeadlineError."""
        self._quorum.await_answer(voter, START_TIMEOUT_S)

    def raise_metadata_version(self) -> int:
        """KRaft: let the highest level that all brokers know be final; returns it."""
        told = {each: features_by(self._parts.wire(each)) for each in self._parts.brokers}
        level = min(each.supported[METADATA_VERSION] for each in told.values())
        raise_feature(self._parts.wire(self._parts.brokers[0]), METADATA_VERSION, level)
        for each in self._parts.brokers:
            wire = self._parts.wire(each)
            wait_until(
                partial(_is_final, wire, level),
                f"broker {each} to hear that {METADATA_VERSION} is {level}",
                START_TIMEOUT_S,
            )
        return level

    def begin_migration(self) -> Sequence[int]:
        """Add controllers of KRaft that may take the metadata over; returns the brokers to turn.

        They wait for all brokers to be turned to the stage "copied". Those that are there already
        are no others the second time, after something else has failed.
        """
        if self._migrating is None or self._migrating.is_given_up:
            kraft = runtime(self.runs(self._parts.brokers[0]).in_kraft)
            self._migrating = Migrating(self._parts, kraft)
        for each in self._migrating.controllers:
            if not self.running(each):
                self.start(each)
        return self._migrating.brokers

    def turn(self, number: int, stage: Turn) -> None:
        """A node that has ended is to be as at this stage of the migration when it starts again."""
        if self._migrating is None:
            raise UsageError("expected a migration that has begun")
        self._migrating.turn(number, stage)

    def await_copied(self) -> None:
        """Wait until KRaft's controllers have the metadata; from then on they are those asked."""
        zookeeper, migrating = self._metadata, self._migrating
        if migrating is None or not isinstance(zookeeper, ZooKeeperMetadata):
            raise UsageError("expected a migration that has begun, and has not copied")
        wait_until(
            lambda: zookeeper.migrated_by() in migrating.controllers,
            f"one of the controllers {migrating.controllers} to have copied the metadata",
            START_TIMEOUT_S,
            look=str(self[migrating.controllers[0]].log),
        )
        self._move(migrating.layout, zookeeper)

    def _move(self, layout: Layout, zookeeper: ZooKeeperMetadata) -> None:
        """From now on the voters of this layout are asked."""
        self._parts.lay_out_anew(layout)
        self._metadata = self._moved(zookeeper)
        self.close()
        self._quorum = Quorum({each: self._parts.leading(each) for each in self.voters})

    def give_up_migration(self) -> None:
        """KRaft's controllers end, for good, and ZooKeeper forgets them: a broker is elected."""
        migrating, kraft = self._migrating, self._metadata
        zookeeper = kraft.beside if isinstance(kraft, KRaftMetadata) else None
        if migrating is None or zookeeper is None:
            raise UsageError("expected a migration that has copied, and is not final")
        for each in filter(self.running, migrating.controllers):
            self.terminate(each)
        zookeeper.forget_migration()
        migrating.give_up()
        self._move(migrating.before, zookeeper)

    def end_zookeeper(self) -> None:
        """Its servers end: nobody has asked them since the controllers are final."""
        if isinstance(self._metadata, KRaftMetadata):
            self._metadata.beside = None
        for each in self._parts.nodes.keys() - {*self.numbers}:
            self.terminate(each)

    def add_broker(self) -> int:
        """Start one more, of the next number, with nothing on it; it serves when this returns."""
        broker = self._parts.add_broker()
        if isinstance(self._metadata, KRaftMetadata):
            self._metadata.ask_also(broker, self._parts.wire(broker), self._parts.probes[broker])
        self.start(broker)
        self.await_serving(broker)
        return broker

    def remove_broker(self, broker: int) -> None:
        """Stop one, if it runs, and count on it no more: it does not come back."""
        self._parts.brokers = tuple(each for each in self._parts.brokers if each != broker)
        if self.running(broker):
            self.terminate(broker)

    def await_serving(self, broker: int) -> None:
        """Wait until a broker is registered and knows every live one; raises with its log's end."""
        node = self[broker]
        wait_until(
            lambda: (
                node.assert_running()
                and broker in self._metadata.registered()
                and self._knows_the_living(broker)
            ),
            f"broker {broker} of Kafka {self.runs(broker).name} to be registered and to serve",
            START_TIMEOUT_S,
            look=str(node.log),
        )
        self._tell(broker, "serving")

    def quorum_leader(self) -> int:
        """The voter that leads the others, or is the only one; raises NoLeaderError."""
        return self._quorum.leader() if len(self.voters) > 1 else self.voters[0]

    def _knows_the_living(self, broker: int) -> bool:
        running = filter(self.running, self._parts.brokers)
        living = {each for each in running if not self.frozen(each)}
        known = {each.broker_id for each in self._parts.probes[broker].metadata().brokers}
        return living <= known

    def _tell(self, number: int, event: str) -> None:
        if self.on_event is not None:
            self.on_event(number, event)


def _is_final(wire: Wire, level: int) -> bool:
    return features_by(wire).final.get(METADATA_VERSION) == level
