"""A cluster of four brokers in memory: what is done to it is remembered, and may fail half-way."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Concatenate, ParamSpec, TypeVar

from highwater.harness.cluster import EVERYTHING, ClusterSpec
from highwater.harness.errors import InfrastructureError
from highwater.harness.gate.handle import RuleHandle
from highwater.harness.gate.hub import Event
from highwater.harness.gate.rows import Rows
from highwater.harness.gate.rules import Rule
from highwater.harness.model import PartitionState, ReplicaState, TopicPartition
from highwater.harness.settings import CONTROLLER_ID

P = ParamSpec("P")
T = TypeVar("T")
COUNTERS = {"matched": 1, "held": 1, "passed": 0, "dropped": 0}


class Steps:
    """Counts what is asked of a cluster, but for healing; one fails, before or after its effect."""

    def __init__(self) -> None:
        self.taken = 0
        self.failing = 0  # which one; 0: none
        self.after_effect = False
        self.error: BaseException = InfrastructureError("a step failed")

    def take(self, effect: Callable[[], T]) -> T:
        self.taken += 1
        if self.taken != self.failing:
            return effect()
        if self.after_effect:
            effect()
        raise self.error


def step(method: Callable[Concatenate[Any, P], T]) -> Callable[Concatenate[Any, P], T]:
    @wraps(method)
    def counted(self: Any, /, *args: P.args, **kwargs: P.kwargs) -> T:
        steps: Steps = self.steps
        return steps.take(lambda: method(self, *args, **kwargs))

    return counted


class FakeNode:
    """What a node runs as."""

    def __init__(self, number: int, steps: Steps, log: Path) -> None:
        self.number = number
        self.steps = steps
        self.log = log
        self.pid = 0
        self.running = True
        self.paused = False
        self.connected = True
        self.cores: float | None = None
        self.said = "0\n"

    @step
    def limit_cpu(self, cores: float | None) -> None:
        self.cores = cores

    @step
    def disconnect(self) -> None:
        self.connected = False

    def reconnect(self) -> None:
        self.connected = True

    @step
    def run(self, words: Sequence[str]) -> str:
        return self.said


class FakeGate:
    """Rules in force; whether a real gate keeps a rule that was half added is its own test."""

    def __init__(self, steps: Steps) -> None:
        self.steps = steps
        self.on_event: Callable[[Event], None] | None = None
        self.rows = Rows(lambda *_: None)  # between clients and brokers there is nothing
        self.rules: dict[str, Rule] = {}
        self._numbers = itertools.count(1)

    def add(self, rule: Rule) -> RuleHandle:
        named = rule.named(f"rule-{next(self._numbers)}")
        self.steps.take(lambda: None)
        self.rules[named.rule_id] = named
        return RuleHandle(self, named, 0)

    def describe(self, jars: Sequence[Path]) -> None:
        """Nothing is answered here."""

    def resolve(self, rule_id: str, how: str) -> int:
        return 0 if self.rules.pop(rule_id) else 1

    def remove(self, rule_id: str) -> None:
        self.rules.pop(rule_id)

    @step
    def counters(self, rule_id: str) -> dict[str, int]:
        return dict(COUNTERS)

    def events(self, since: int = 0) -> tuple[Event, ...]:
        return ()

    @step
    def mark(self) -> int:
        return 0

    def wait_event(
        self, predicate: Callable[[Event], bool], what: str, timeout_s: float, *, since: int = 0
    ) -> Event:
        raise AssertionError(f"nobody waits for {what} here")


class FakeCluster:
    """As `Cluster` is, as far as faults and trials ask; broker 4 is dead from the beginning."""

    brokers: tuple[int, ...] = (1, 2, 3, 4)
    coordinators = brokers
    has = EVERYTHING
    controller = CONTROLLER_ID
    voters: tuple[int, ...] = (CONTROLLER_ID, 101, 102)
    numbers = owners = (1, 2, 3, 4, *voters)
    bootstrap = client_bootstrap = "127.0.0.1:1"

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.steps = Steps()
        self.spec = ClusterSpec(
            brokers=4,
            voters=3,
            gated_metadata=True,
            gated_clients=True,
            fake_clock=True,
            obeys_file_modes=True,
            two_log_dirs=True,
        )
        self.kafka = SimpleNamespace(
            name="of no release, with all that any has",
            kraft=True,
            followers_answer_consumers=True,
            knows_idempotence=True,
            has_record_batches=True,
            orders_brokers=True,
            hears_heartbeats=True,
            hears_of_disks=True,
            leaders_ask_for_the_isr=True,
        )
        self.gate = FakeGate(self.steps)
        self.nodes = self.files = self.metadata = self
        self.on_event: Callable[[int, str], None] | None = None
        self.everybody = {each: self._node(each) for each in self.numbers}
        self.everybody[4].running = False
        self.created: dict[str, Mapping[str, str]] = {}  # settings of topics
        self.deleted: list[str] = []
        self.there: set[str] = set()  # topics
        self.isr: tuple[int, ...] = (1, 2, 3)

    def _node(self, number: int) -> FakeNode:
        self.log_dir(number).mkdir(parents=True)
        log = self.directory / f"{number}.log"
        log.touch()
        self.properties(number).touch()
        return FakeNode(number, self.steps, log)

    def state(self) -> Mapping[str, object]:
        """What a fault may have changed, and healing puts right."""
        each = self.everybody.values()
        return {
            "rules": sorted(self.gate.rules),
            "running": {node.number: node.running for node in each},
            "paused": {node.number: node.paused for node in each},
            "connected": {node.number: node.connected for node in each},
            "cores": {node.number: node.cores for node in each},
            "modes": {path: path.stat().st_mode for path in self.directory.rglob("*")},
        }

    # -- brokers

    def runs(self, _number: int) -> Any:
        return self.kafka

    def start(self, broker: int) -> None:
        self.everybody[broker].running = True

    @step
    def terminate(self, broker: int) -> None:
        self.everybody[broker].running = False

    @step
    def kill(self, broker: int) -> None:
        self.everybody[broker].running = False

    @step
    def pause(self, broker: int) -> dict[str, str]:
        self.everybody[broker].paused = True
        return {"kernel state": "stopped"}

    def resume(self, broker: int) -> None:
        self.everybody[broker].paused = False

    def running(self, broker: int) -> bool:
        return self.everybody[broker].running

    def frozen(self, broker: int) -> bool:
        return self.everybody[broker].paused

    def __getitem__(self, number: int) -> FakeNode:
        return self.everybody[number]

    @step
    def await_serving(self, broker: int) -> None:
        pass

    def add_broker(self) -> int:
        joined = self.brokers[-1] + 1
        self.brokers = (*self.brokers, joined)
        self.everybody[joined] = self._node(joined)
        return joined

    def remove_broker(self, broker: int) -> None:
        self.brokers = tuple(each for each in self.brokers if each != broker)
        self.everybody[broker].running = False

    # -- metadata

    @step
    def quorum_leader(self) -> int:
        return CONTROLLER_ID

    @step
    def end_session(self, broker: int) -> None:
        pass

    def registered(self) -> frozenset[int]:
        return frozenset(each for each in self.brokers if self.running(each))

    def delete_topic(self, topic: str) -> None:
        self.deleted.append(topic)
        self.there.discard(topic)

    def is_free(self, topic: str) -> bool:
        return topic not in self.there

    def partition(self, where: TopicPartition) -> PartitionState:
        return PartitionState(1, 0, isr=self.isr, replicas=(1, 2, 3))

    def partitions(self, wheres: Sequence[TopicPartition]) -> dict[TopicPartition, PartitionState]:
        return {where: self.partition(where) for where in wheres}

    def probe(self, broker: int) -> Any:
        """Knows of those whose link to the metadata is not cut."""
        cut_off = {rule.match.sender for rule in self.gate.rules.values()}
        known = [SimpleNamespace(broker_id=each) for each in self.brokers if each not in cut_off]
        metadata = SimpleNamespace(brokers=known, controller_id=self.controller)
        return SimpleNamespace(
            metadata=lambda: metadata,
            states=lambda each, wheres: [
                ReplicaState(each, *((0, 0) if where.topic in self.there else (None, None)))
                for where in wheres
            ],
            log_start_offsets=lambda wheres: dict.fromkeys(wheres, 0),
            leads=lambda _where: broker == 1,
        )

    def create_topic(self, topic: str, assignments: object, settings: Mapping[str, str]) -> None:
        self.created[topic] = settings
        self.there.add(topic)

    def topic_id(self, topic: str) -> None:
        """It has none."""

    # -- files

    def address(self, broker: int) -> str:
        return self.bootstrap

    def log_dir(self, broker: int) -> Path:
        return self.directory / f"data-{broker}"

    def clock(self, broker: int) -> Path:
        return self.directory / f"clock-{broker}"

    def server_log(self, broker: int) -> Path:
        return self.everybody[broker].log

    def properties(self, broker: int) -> Path:
        return self.directory / f"{broker}.properties"
