"""The words of a scenario: what is done, waited for and asserted, on the record as it happens."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from highwater.harness.clients.application import Application, Command
from highwater.harness.clients.crew import Crew
from highwater.harness.clients.group import Group
from highwater.harness.clients.load import Load
from highwater.harness.clients.producers import ToldProducer, ToldTransactions
from highwater.harness.clients.settings import (
    ConsumerSettings,
    PipelineSettings,
    ShareSettings,
    Transactions,
)
from highwater.harness.clients.shares import ShareGroup
from highwater.harness.cluster import Cluster, Fault
from highwater.harness.endings import end_all
from highwater.harness.errors import UsageError
from highwater.harness.foreign.programs import OURS, Client
from highwater.harness.lifetime import Lifetime
from highwater.harness.migration import Migration
from highwater.harness.model import Evidence
from highwater.harness.open_faults import InjectedT, OpenFaults, Standing
from highwater.harness.partition import Partition
from highwater.harness.quorum import await_quorum_leader
from highwater.harness.record.writer import RunRecord
from highwater.harness.removal import require_removable
from highwater.harness.restart import Restart, await_living
from highwater.harness.scene import Scene
from highwater.harness.topic import Topic, await_each
from highwater.harness.topics import Topics
from highwater.harness.upgrades import After, Upgrades, idle
from highwater.harness.versions.upgrading import Stage, Step
from highwater.harness.workloads.pattern import Pattern
from highwater.harness.workloads.producer import ProducerSettings
from highwater.harness.workloads.transactions import BRIEF


class Play(Lifetime):
    """A running cluster, with everything that is done to it on the record; for a `with`.

    `named` is what its topics are called: the first one just so, others so and their own name.
    """

    def __init__(self, cluster: Cluster, record: RunRecord, named: str) -> None:
        super().__init__()
        self.cluster = cluster
        self.record = record
        self._has_other_members = False
        self.joined: list[int] = []  # brokers, whether they have left again or not
        self._scene = Scene(cluster, record)
        self._topics = Topics(self._scene, named)
        self._faults = OpenFaults(cluster, record)
        self._crew = Crew(self._scene, self._topics)
        self.contracts = self._crew.contracts
        self._upgrades = Upgrades(self._scene, self.restart, lambda: self.partitions)
        self._migration = Migration(self._scene, self.restart, self._upgrades)

    def _begin(self) -> None:
        self._ending.enter_context(self._scene.sampler)
        self._ending.enter_context(self._scene.moves)
        self._ending.enter_context(self._crew)

    def step(self, text: str) -> None:
        """Say what happens now, on the timeline."""
        self._scene.step(text)

    def note(self, text: str) -> None:
        """Say what is no step of the play, and should be known all the same."""
        self._scene.note(text)

    @property
    def has_other_brokers(self) -> bool:
        """Than when it began: others, or of another release."""
        return self._has_other_members or self._upgrades.have_begun

    @property
    def scene(self) -> Scene:
        return self._scene

    @property
    def topics(self) -> Sequence[Topic]:
        """Those that there are, in the order of their creation."""
        return self._topics.there

    @property
    def topic_names(self) -> Sequence[str]:
        """Of all that there have been, as Kafka calls them, each once."""
        return list(dict.fromkeys(self._topics.names))

    @property
    def partitions(self) -> list[Partition]:
        """Of all topics, in the order of their creation."""
        return [partition for topic in self.topics for partition in topic]

    def topic(
        self,
        name: str = "",
        partitions: int = 1,
        replicas: int | None = 3,
        settings: Mapping[str, str] | None = None,
        pattern: Pattern | None = None,
    ) -> Topic:
        """Create a topic, and wait until every replica of it serves it whose broker runs.

        Leaders are spread over the brokers; `replicas` None: as many as brokers give (KIP-464,
        KRaft). min.insync.replicas is as `settings` or the spec say, else 2, or 1 where there may
        be one. `pattern` is how its records look. UsageError, AnswerError for what Kafka refuses.
        """
        return self._topics.create(name, partitions, replicas, settings, pattern)

    def producer(self, settings: ProducerSettings | None = None) -> ToldProducer:
        """A producer that sends what it is told to, and when; for a `with`."""
        return self._crew.producers.one(settings)

    def transactions(self, settings: ProducerSettings = BRIEF) -> ToldTransactions:
        """The same, in transactions."""
        return self._crew.producers.transactions(settings)

    @property
    def client(self) -> str:
        """Who sends where a scenario leaves it open: ours, or that of the control client=NAME."""
        return self._scene.client

    def load(
        self,
        topic: Topic,
        rate_per_s: float | None = None,
        settings: ProducerSettings | None = None,
        transactions: Transactions | None = None,
        client: Client = OURS,
    ) -> Load:
        """Records sent to all partitions of a topic, from a process of its own; for a `with`.

        A rate goes on while nothing is acknowledged, an open loop; without one, as many are sent as
        are taken; ProducerSettings(unanswered=...) says how many may be on their way: a closed one.
        With `transactions` a record is acknowledged when its transaction is committed. `client` is
        whose library sends: "java:3.9.1", "kafka-python", or the words of an adapter's command.
        """
        return self._crew.load(topic, rate_per_s, settings, transactions, client)

    def group(
        self,
        name: str,
        topic: Topic,
        members: int = 1,
        settings: ConsumerSettings | None = None,
        client: Client = OURS,
    ) -> Group:
        """A consumer group, each member in a process of its own; for a `with`.

        It commits what it has processed, if `settings` say no other; `client` is as with `load`.
        """
        settings = ConsumerSettings() if settings is None else settings
        return self._crew.group(name, topic, members, settings, client)

    def pipeline(
        self,
        name: str,
        topic: Topic,
        into: Topic,
        members: int = 1,
        settings: PipelineSettings | None = None,
    ) -> Group:
        """A group whose members send a record `into` a topic for each that they are handed, by
        transactions that have what they commit as well, unless `settings` say otherwise.
        """
        settings = PipelineSettings() if settings is None else settings
        return self._crew.pipeline(name, topic, into, members, settings)

    def share_group(
        self, name: str, topic: Topic, members: int = 1, settings: ShareSettings | None = None
    ) -> ShareGroup:
        """Members that are handed the records of a topic by turns (KIP-932); for a `with`."""
        settings = ShareSettings() if settings is None else settings
        return self._crew.share_group(name, topic, members, settings)

    def application(
        self, command: Command, env: Mapping[str, str] | None = None, name: str = "app"
    ) -> Application:
        """A program of the user's, for a `with`: a command, or a `Container`.

        The variable BOOTSTRAP has the cluster's address, and so has `{bootstrap}` in other words.
        """
        return self._crew.application(command, env, name)

    def inject(self, fault: Fault[InjectedT]) -> InjectedT:
        """Let something go wrong until `heal`; returns what the fault has to show."""
        self._scene.require_there()
        return self._faults.inject(fault, left_out=self._scene.without)

    def inject_each(self, faults: Iterable[Fault[InjectedT]]) -> list[InjectedT]:
        """The same for several faults at once."""
        return [self.inject(fault) for fault in faults]

    def await_standing(self, held: Iterable[Standing]) -> None:
        """Wait until a frame stands at the gate for each of these faults."""
        for each in held:
            each.await_standing()

    def heal(self, *injected: Evidence) -> None:
        """Heal these faults, or all that are open, newest first; then wait for their brokers."""
        end_all([partial(self._faults.heal, *injected), partial(await_living, self.cluster)])

    @property
    def unhealed(self) -> Sequence[str]:
        """The faults whose healing has failed: no other play is to find them."""
        return self._faults.unhealed

    def abandon(self, *injected: Evidence) -> None:
        """Heal these, or what is open, and wait for no broker: it may be long in coming, or end."""
        self._faults.heal(*injected)

    def restart(self, fault: Fault[InjectedT]) -> None:
        """Take a broker down by this fault, and bring it back."""
        self.heal(self.inject(fault))

    def rolling_restart(self) -> None:
        """Stop and start one broker after the other, in order; each waits for every ISR."""
        for broker in self.cluster.brokers:
            self.step(f"rolling restart: broker {broker}")
            self.restart(Restart(broker))
            await_each(self._scene, "all are in sync", self.partitions, Partition.saw_full_isr)

    def upgrade(self, broker: int, release: str) -> None:
        """Stop a broker in order, and start one of this release on its data; waits for every ISR.

        It speaks and writes as the cluster does so far: see `rolling_upgrade`. Raises UsageError,
        before anything stops, for a release that is unknown or cannot follow on the present one.
        """
        self._upgrades.upgrade(broker, release)

    def rolling_upgrade(
        self, release: str, until: Step = "format", after_each: After = idle
    ) -> None:
        """Upgrade all nodes in order, each when every ISR is full, as Kafka's notes say.

        Up to and with a step: the "binaries", which speak and write as before; the "protocol", by
        more restarts, in KRaft the metadata.version; the message "format", where the cluster began
        before 0.11. What is done already is left out; each restarted node is told `after_each`.
        """
        self._upgrades.roll(release, until, after_each)

    def migrate_to_kraft(self, until: Stage = "final") -> None:
        """Leave ZooKeeper for KRaft (KIP-866) with a Kafka of 3.6 to 3.9, up to and with a stage.

        New controllers have the metadata "copied", then the "brokers" leave ZooKeeper, at last the
        controllers. Raises UsageError, before anything stops, for a cluster that cannot.
        """
        self._migration.migrate(until)

    def return_to_zookeeper(self) -> None:
        """Take a migration back; raises UsageError where there is none, or it is "final"."""
        self._migration.take_back()

    def add_broker(self) -> int:
        """Start one more, with nothing on it, and return its number when it serves.

        The cluster is thrown away afterwards. UsageError for one that is borrowed, or was upgraded.
        """
        if self._upgrades.have_begun:
            raise UsageError("a cluster that has been upgraded keeps the brokers that it has")
        self._has_other_members = True
        self.step("one more broker joins the cluster")
        self.joined.append(self.cluster.nodes.add_broker())
        return self.joined[-1]

    def remove_broker(self, broker: int) -> None:
        """Let one that has no replica of the play's topics leave for good, in an orderly shutdown.

        Raises UsageError for who is no broker, or the last one, or has replicas: `move_replicas` is
        how it gets rid of these.
        """
        require_removable(self.cluster, broker, self.partitions)
        self._has_other_members = True
        self.step(f"broker {broker} leaves the cluster")
        self.cluster.nodes.remove_broker(broker)

    def await_quorum_leader(self, other_than: int | None = None) -> int:
        """Wait until a voter leads, a KRaft controller or ZooKeeper server; returns it.

        Raises DeadlineError where none does but `other_than`, UsageError where that is no voter.
        """
        return await_quorum_leader(self._scene, other_than)

    def bring_controller_home(self) -> None:
        """Make the broker without replicas the controller again, if a play has changed that."""
        self._scene.cluster.metadata.move_controller(self.cluster.nodes.controller)

    def fail_over_controller(self) -> None:
        """Let another broker become the controller (ZooKeeper mode)."""
        now = self._scene.cluster.metadata.fail_over_controller()
        self.record.event("metadata", f"broker {now} is the controller now", controller=now)
