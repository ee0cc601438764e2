"""The words of the field that every other module shares; standard library only.

Values are frozen dataclasses, roles are protocols: nobody inherits from us.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal, NamedTuple, Protocol

SCHEMA_VERSION = 2  # of a run directory; docs/ledger.md says what changed


class Outcome(StrEnum):
    """How an operation ended, as far as its client can know."""

    INVOKED = "invoked"  # sent, not yet answered
    OK = "ok"  # the broker said that it happened
    FAILED = "failed"  # known not to have happened
    UNKNOWN = "unknown"  # may have happened: a timeout is never a failure


class Answer(StrEnum):
    """What a checker says of a claim."""

    HELD = "HELD"
    VIOLATED = "VIOLATED"
    UNKNOWN = "UNKNOWN"  # no evidence, or the checker itself broke


class Ending(StrEnum):
    """What a trial showed."""

    REPRODUCED = "reproduced"
    CLEAN = "clean"
    INCONCLUSIVE = "inconclusive"


class TopicPartition(NamedTuple):
    """One partition of one topic; prints as Kafka's own logs name it.

    A topic that is created again under its name is another one, with the next `incarnation`.
    """

    topic: str  # as Kafka names it
    partition: int = 0
    incarnation: int = 1

    def __str__(self) -> str:
        return f"{self.topic}-{self.partition}"

    @property
    def told_as(self) -> str:
        """The name of the topic in the record."""
        return told_as(self.topic, self.incarnation)


class ByKey(NamedTuple):
    """All of so many partitions of a topic: to which one a record goes follows from its key."""

    topic: str  # as Kafka names it
    partitions: int
    incarnation: int = 1

    @property
    def told_as(self) -> str:
        """The name of the topic in the record."""
        return told_as(self.topic, self.incarnation)


def told_as(topic: str, incarnation: int) -> str:
    """What the record calls a topic; from the second one of a name on no topic can be called so."""
    return topic if incarnation == 1 else f"{topic}#{incarnation}"


def name_in_kafka(topic: str) -> str:
    """Of a topic that the record calls so."""
    return topic.partition("#")[0]


@dataclass(frozen=True, slots=True)
class PartitionState:
    """Who leads a partition, as the cluster's metadata says (-1: nobody)."""

    leader: int
    leader_epoch: int
    isr: tuple[int, ...]  # sorted
    replicas: tuple[int, ...]  # in assignment order: the first one is preferred
    elr: tuple[int, ...] = ()  # who else may be elected without a loss (KIP-966), sorted
    topic_id: str | None = None  # another one when the topic has been created anew (KIP-516)


@dataclass(frozen=True, slots=True)
class Altered:
    """Whose settings are changed while brokers run: a `topic`, a `group`, a `broker` by its id."""

    kind: Literal["topic", "broker", "group"]
    name: str

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


@dataclass(frozen=True, slots=True)
class ReplicaState:
    """One look at one replica; None where the broker did not answer."""

    broker: int
    log_end_offset: int | None
    high_watermark: int | None
    last_stable_offset: int | None = None  # of a leader that tells it


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What one checker says of one run."""

    claim: str  # the anomaly's name, "lost-write"
    answer: Answer
    considered: int  # rows that the claim was tested against; 0 is UNKNOWN, never HELD
    anomalies: int = 0
    witnesses: Sequence[Mapping[str, Any]] = ()  # the first few counterexamples, a flat row each
    reason: str = ""  # why UNKNOWN, or what a reader should know about a violation


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A whole experiment: the story, and what it is expected to show where."""

    name: str
    story: str  # the docstring of the play: first line is the title
    play: Callable[[Any, Any], None]  # of a Play, and the Partition that it has created
    source: str  # the KIP, JIRA or document that it comes from
    reproduces: str  # versions on which `claims` are violated, "<0.11"; "" for none
    claims: tuple[str, ...]  # a violation of any of these is what the scenario reproduces
    restored_by: tuple[str, ...] = ()  # controls that bring the failure back on a fixed version
    cured_by: tuple[str, ...] = ()  # controls under which it holds on a failing version
    ablations: tuple[str, ...] = ()  # faults without which nothing happens
    any_client: str = ""  # as what any client can play it: producer, member ...
    reproduces_with: tuple[str, ...] = ()  # of these besides ours, the clients that fail as well
    not_lined_up_with: tuple[str, ...] = ()  # clients that never come into the state it needs
    calm: str = ""  # the scenario that asks the same with the same settings, and without a fault
    plays_on: str = ""  # the range of versions that have what it needs; "" for all
    turns_at: tuple[str, ...] = ()  # releases from which on other things are asked: claims hold
    upgrades_to: str = ""  # the release that the play upgrades the cluster to, from where it begins
    modes: tuple[str, ...] = ("zookeeper", "kraft")  # each perhaps with a range, "kraft>=3.9"
    not_reproducible_on: str = ""  # where nothing can happen, under no control: "kraft<3.9"
    settings: Mapping[str, str] = field(default_factory=dict)  # static broker settings
    broker_settings: Mapping[int, Mapping[str, str]] = field(default_factory=dict)  # of one broker
    topic_settings: Mapping[str, str] = field(default_factory=dict)
    tolerates: Mapping[str, str] = field(default_factory=dict)  # claim -> why it may be violated
    tolerated_on: Mapping[str, str] = field(default_factory=dict)  # claim -> releases, if not all
    replicas: int = 3
    voters: int = 1  # who keep the metadata, see ClusterSpec
    combined: bool = False  # the voters are brokers, see ClusterSpec
    gated_clients: bool = False  # clients are sent through the gate as well
    gated_metadata: bool = False  # so is what brokers say to ZooKeeper, or to the KRaft controller
    fake_clock: bool = False  # brokers' wall clocks can be set
    obeys_file_modes: bool = False  # brokers write where file modes let them, even as root
    two_log_dirs: bool = False  # brokers have two, see ClusterSpec
    heap_mib: int | None = None  # what it takes of each JVM at most; None: the usual


class Evidence(Protocol):
    """What an injected fault can show for itself."""

    @property
    def proof(self) -> Mapping[str, Any]: ...


@dataclass(frozen=True, slots=True)
class Proof:
    """The plainest evidence: what was seen when the fault had taken effect."""

    proof: Mapping[str, Any]
