"""All clients of a play that live in processes of their own."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

from highwater.harness.clients.application import Application, Command
from highwater.harness.clients.asking import high_watermarks, share_members
from highwater.harness.clients.commits import Commits
from highwater.harness.clients.contracting import Contracting
from highwater.harness.clients.group import Group, Ways
from highwater.harness.clients.group_settings import begun_at_earliest
from highwater.harness.clients.grouping import Grouped, with_seat
from highwater.harness.clients.lives import Lives
from highwater.harness.clients.load import Load
from highwater.harness.clients.loading import Ordered
from highwater.harness.clients.member import Member
from highwater.harness.clients.names import incarnations, refuse_group, refuse_name
from highwater.harness.clients.process import CONFLUENT, FOREIGN, Event, Launch
from highwater.harness.clients.producers import Ears, Producers
from highwater.harness.clients.running import Packed, process_of
from highwater.harness.clients.seen_commits import SeenCommits
from highwater.harness.clients.settings import (
    CLASSIC,
    SESSION_MS,
    ConsumerSettings,
    PipelineSettings,
    ShareSettings,
    Transactions,
)
from highwater.harness.clients.shares import ShareGroup, ShareMember, Sharing
from highwater.harness.clients.starting import Start, variables_of, words_of
from highwater.harness.clients.telling import line_of, rows_of, start_of
from highwater.harness.errors import UsageError
from highwater.harness.foreign.programs import OURS, Client
from highwater.harness.lifetime import Lifetime
from highwater.harness.processes.warden import Warden
from highwater.harness.scene import Scene
from highwater.harness.topic import Topic, require_topics
from highwater.harness.topics import Topics
from highwater.harness.transaction_looks import TransactionLooks
from highwater.harness.workloads.producer import ProducerSettings
from highwater.harness.workloads.reaching import handed

SENDING = ("producer", "pipe")
VALUES = 1 << 36  # identities that one process may use: years of them
STARTED = {"ready": "started"}  # what the timeline calls it, as with brokers


class Crew(Lifetime):
    """Starts clients, and puts what they say on the record; none outlives the harness."""

    def __init__(self, scene: Scene, topics: Topics) -> None:
        super().__init__()
        self._scene, self._topics = scene, topics
        self._ends = partial(high_watermarks, scene)
        self._numbers = itertools.count(1)  # 0 is the harness itself
        self._names: set[str] = set()
        self._orders: dict[str, Mapping[str, Any]] = {}  # by the names of clients
        self._warden: Warden | None = None
        self._transactions = TransactionLooks(scene.cluster, scene.record)
        self._seen_commits = SeenCommits(scene)
        self._commits = Commits(scene, self._seen_commits)
        scene.transacts = self._transactions.watch
        self._lives = Lives(scene, self._transactions.watch)
        self._contracting = Contracting(scene, self._ends)
        self.contracts = self._contracting.made
        # Of whoever has no process of its own a play sees nothing but what is sent.
        ears = Ears(self._hear, self._lives.hear)
        self.producers = Producers(scene, self._launch, ears, self._ending)

    def _begin(self) -> None:
        self._ending.enter_context(self._transactions)
        self._ending.enter_context(self._commits)
        self._ending.enter_context(self._seen_commits)

    def load(
        self,
        topic: Topic,
        rate_per_s: float | None,
        settings: ProducerSettings | None,
        transactions: Transactions | None = None,
        client: Client = OURS,
    ) -> Load:
        """A producer that sends to all partitions of a topic in turn; None: as fast as it can."""
        order = Ordered(self._scene, topic, client).order(rate_per_s, settings, transactions)
        name = f"load-{topic.name}"
        load = Load(lambda more: self._launch(name, {**order, **more}), self._hear, topic)
        topic.when_grown(lambda: load.spread(topic))
        return load

    def group(
        self,
        name: str,
        topic: Topic,
        members: int,
        settings: ConsumerSettings,
        client: Client = OURS,
    ) -> Group:
        """A group of so many consumers."""
        refuse_group(name, members)
        grouped = Grouped(self._scene, settings, client)
        require_topics(topic)
        order = grouped.order(topic.pattern)
        return self._seated(name, (topic,), members, order, grouped.recorded)

    def pipeline(
        self, name: str, topic: Topic, into: Topic, members: int, settings: PipelineSettings
    ) -> Group:
        """A group whose members send one record for each that they are handed."""
        refuse_group(name, members)
        if not isinstance(settings, PipelineSettings):
            raise UsageError(f"expected PipelineSettings, saw {settings!r:.120}")
        require_topics(topic, into)
        if topic.name == into.name:
            raise UsageError(f"expected {name} to send into another topic, saw {into.name} twice")
        kafka = self._scene.cluster.kafka
        order = {
            "role": "pipe",
            "settings": settings.described_on(kafka),
            "producer": asdict(ProducerSettings(delivery_timeout_s=8.0).on(kafka)),
            "into": into.name,
            "partitions": len(into),
        }
        told = {"auto.offset.reset": "earliest", "session.timeout.ms": str(SESSION_MS[CLASSIC])}
        told |= {"commits": settings.commits, "into": into.told_as}
        return self._seated(name, (topic, into), members, order, told)

    def share_group(
        self, name: str, topic: Topic, members: int, settings: ShareSettings
    ) -> ShareGroup:
        """A share group of so many members (KIP-932)."""
        refuse_group(name, members)
        if not isinstance(settings, ShareSettings):
            raise UsageError(f"expected ShareSettings, saw {settings!r:.120}")
        require_topics(topic)
        told = settings.described_on(self._scene.cluster.kafka)
        group = f"{topic.told_as}-{name}"
        how = {"share.auto.offset.reset": "earliest", "acknowledges": told["acknowledges"]}
        self._scene.record.group(group, how)
        order = {"role": "sharer", "settings": told, "group": group, "topics": [topic.name]}
        order["incarnations"] = incarnations([topic])
        seats = [{**order, "seat": f"{name}-{each + 1}"} for each in range(members)]
        scene = self._scene
        asked, begun = partial(share_members, scene), partial(begun_at_earliest, scene)
        sharing = Sharing(self._ends, self._sharer, asked, begun)
        return ShareGroup(name, topic, [self._sharer(seat) for seat in seats], sharing)

    def application(
        self, command: Command, env: Mapping[str, str] | None, name: str
    ) -> Application:
        """A program of the user's own."""
        refuse_name(name, "an application's")
        bootstrap = self._scene.cluster.client_bootstrap
        variables, unique = variables_of(env, bootstrap), self._unique(name)
        if isinstance(command, Packed):
            housing = command.housing(unique, variables, bootstrap)
        else:
            housing = process_of(words_of(command, bootstrap), variables, self._group())
        start = Start(housing, self._scene.record.path / "client-logs" / f"{unique}.log")
        return Application(unique, start, self._tell_of, self._contracting)

    def _tell_of(self, client: str, happened: str, line: str) -> None:
        if happened == "said":
            self._scene.record.event("said", line, client=client)
        else:
            self._tell(client, happened, {})

    def _sharer(self, order: Mapping[str, Any]) -> ShareMember:
        return ShareMember(self._launch(order["seat"], order), self._hear)

    def _seated(
        self,
        name: str,
        topics: Sequence[Topic],
        members: int,
        order: Mapping[str, Any],
        told: Mapping[str, str],
    ) -> Group:
        """The first topic is read; to others its members send."""
        topic, *into = topics
        group = f"{topic.told_as}-{name}"
        self._scene.record.group(group, told)
        common = {**order, "group": group, "topics": [topic.name]}
        common["incarnations"] = incarnations(topics)
        made = [self._member(with_seat(common, f"{name}-{n + 1}")) for n in range(members)]
        ways = Ways(self._ends, self._member, self._topics, into)
        return Group(name, [topic], made, ways)

    def _member(self, order: Mapping[str, Any]) -> Member:
        member = Member(self._launch(order["seat"], order), self._hear)
        self._seen_commits.watch(member)
        return member

    def _launch(self, name: str, order: Mapping[str, Any], group: int | None = None) -> Launch:
        record, number = self._scene.record, next(self._numbers)
        unique = self._unique(name)
        place = {"directory": str(record.path), "origin_ns": record.origin_ns, "number": number}
        told = {
            **order,
            "client": unique,
            **handed(self._scene.cluster.client_bootstrap),
            "record": place,
        }
        if record.history.patterns:
            told["patterns"] = {**record.history.patterns}
        if order["role"] in SENDING:  # with identities of its own
            told["first_value"] = self._scene.values.take(VALUES).start
        self._orders[unique] = order
        line = FOREIGN if "command" in order else CONFLUENT
        log = record.path / "client-logs" / f"{unique}.log"
        return Launch(told, log, self._group() if group is None else group, line)

    def _unique(self, name: str) -> str:
        # Not with a dash: so readings of a member are numbered, each time it is assigned some.
        others = (f"{name}.{each}" for each in itertools.count(2))
        unique = next(each for each in itertools.chain([name], others) if each not in self._names)
        self._names.add(unique)
        return unique

    def _group(self) -> int:
        if self._warden is None:
            self._warden = self._ending.enter_context(Warden())
        return self._warden.group

    def _hear(self, client: str, event: Event) -> None:
        said = str(event["event"])
        self._lives.hear(client, event)
        match said:
            case "progress" | "spawned" | "client":
                return
            case "commit" | "committed":
                self._commits.hear(client, event)
            case "processed" | "handed" | "accepted" | "released":
                self._keep(client, event)
            case "flushed" | "assigned" | "revoked" | "lost":
                self._keep(client, event)
                self._tell(client, said, event)
            case "subscribed":
                data = {"client": client, "event": said, "topics": event["topics"]}
                told = f"{client}: {said} to {', '.join(event['topics'])}"
                self._scene.record.event("client", told, **data)
            case "unflushed":
                self._keep(client, event)
                self._complained(client, event)
            case "complaint" | "fatal":
                self._complained(client, event)
            case _:
                self._tell(client, STARTED.get(said, said), event)

    def _complained(self, client: str, event: Event) -> None:
        self._scene.note(f"{client}: {event['text']}")
        if event["event"] != "complaint":
            self._tell(client, event["event"], event)

    def _keep(self, client: str, event: Event) -> None:
        for table, row in rows_of(client, event, self._scene.record.origin_ns):
            self._scene.record.row(table, row)

    def _tell(self, client: str, happened: str, event: Event) -> None:
        """Put on the timeline what has become of a client, and how it is set when it has begun."""
        told = {name: event[name] for name in ("group", "partitions", "for_s") if name in event}
        if happened == "started" and client in self._orders:
            told |= start_of(self._orders[client], self._scene.record.origin_ns)
        data: dict[str, Any] = {"client": client, "event": happened, **told}
        self._scene.record.event("client", line_of(client, happened, told), **data)
