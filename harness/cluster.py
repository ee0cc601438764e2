"""What a running cluster offers to plays and faults, whichever backend it runs on."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeVar

from highwater.harness.errors import UsageError
from highwater.harness.gate.client import GateProcess
from highwater.harness.model import Altered, Evidence, PartitionState, TopicPartition
from highwater.harness.probes.replicas import ReplicaProbe
from highwater.harness.versions.catalogue import Kafka
from highwater.harness.versions.upgrading import Turn

VOTERS = (1, 3)
NODES, LINKS, FILES = "nodes", "links", "files"
KILLS, PAUSES, PROCESSES = "kills", "pauses", "processes"  # what can be done to nodes
CAPABILITIES: Mapping[str, str] = {
    NODES: "brokers that can be stopped and started",
    KILLS: "a way to kill a broker",
    PAUSES: "a way to freeze a broker",
    PROCESSES: "nodes that are processes or containers of ours",
    LINKS: "a gate between brokers",
    FILES: "brokers whose files can be read",
}
LEAST_HEAP_MIB = 96  # as nodes begin with
LARGEST_HEAP_MIB = 1_048_576  # a TiB
EVERYTHING = frozenset(CAPABILITIES)
OF_OURS = frozenset({NODES, KILLS, PAUSES, PROCESSES, FILES})  # what whoever starts brokers has
# Tables that have no rows, or are not there, without one of these.
EVIDENCE: Mapping[str, tuple[str, ...]] = {
    LINKS: ("fetches",),
    FILES: ("replica_logs", "epoch_checkpoints"),
}

InjectedT_co = TypeVar("InjectedT_co", bound=Evidence, covariant=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterSpec:
    """What a cluster is made of; two runs with equal specs may share one."""

    brokers: int = 3
    voters: int = 1  # who keep the metadata: KRaft controllers, or ZooKeeper servers
    combined: bool = False  # KRaft: the voters are the first brokers, and no nodes of their own
    settings: Mapping[str, str] = field(default_factory=dict)
    broker_settings: Mapping[int, Mapping[str, str]] = field(default_factory=dict)
    features: Mapping[str, str] = field(default_factory=dict)  # KRaft: levels given at formatting
    # For scenarios that mean one message: replication links carry nothing but their partition. The
    # offsets topic has one replica, and in ZooKeeper mode one more broker, on which nothing else
    # lives, is the controller and has that replica (KRaft has a controller process anyway).
    quiet_replication_links: bool = True
    gated: bool = True
    gated_clients: bool = False  # clients are sent through the gate as well (from 0.10.2 on)
    gated_metadata: bool = False  # brokers find ZooKeeper, or the KRaft controller, at the gate
    fake_clock: bool = False  # brokers' wall clocks can be set
    obeys_file_modes: bool = False  # brokers write where file modes let them, even as root
    two_log_dirs: bool = False  # a replica of a broker lies in one of two
    heap_mib: int | None = None  # what each JVM may take at most; None: as harness.jvm has it
    first_port: int | None = None  # of the brokers' client listeners; None: any free ones

    def __post_init__(self) -> None:
        """Raises UsageError for voters and a heap as no cluster of ours has them."""
        if self.voters not in VOTERS:
            raise UsageError(f"a cluster has one voter or three, not {self.voters}")
        if self.heap_mib is not None and not _is_heap(self.heap_mib):
            raise UsageError(
                f"a JVM of a cluster has a heap of a whole number of MiB, from {LEAST_HEAP_MIB} to "
                f"{LARGEST_HEAP_MIB}, not of {self.heap_mib!r:.120}"
            )
        if self.combined and self.brokers < self.voters:
            raise UsageError(
                f"{self.voters} voters that are brokers need as many brokers, not {self.brokers}"
            )

    def require(self, kafka: Kafka) -> None:
        """Raises UsageError for a Kafka that cannot run such a cluster."""
        if self.combined and not kafka.kraft:
            raise UsageError(
                f"combined=True needs KRaft: the brokers of Kafka {kafka.name} keep no metadata"
            )

    @property
    def key(self) -> tuple[Any, ...]:
        """Equal for clusters that are made of the same."""
        each = {str(broker): sorted(own.items()) for broker, own in self.broker_settings.items()}
        shared = (
            sorted(self.settings.items()),
            sorted(each.items()),
            sorted(self.features.items()),
        )
        gates = (self.gated, self.gated_clients, self.gated_metadata)
        nodes = (
            self.combined,
            self.quiet_replication_links,
            self.fake_clock,
            self.obeys_file_modes,
            self.two_log_dirs,
            self.heap_mib,
            self.first_port,
        )
        return (self.brokers, self.voters, repr(shared), gates, nodes)


def _is_heap(told: object) -> bool:
    """Whether a JVM can be told so; True is no number, and -Xmx512.0m no heap."""
    return type(told) is int and LEAST_HEAP_MIB <= told <= LARGEST_HEAP_MIB


class Metadata(Protocol):
    """Who leads what: read and moved, by znodes or by the admin apis."""

    def create_topic(  # partitions without replicas have as many as brokers give by default
        self, topic: str, assignments: Sequence[Sequence[int]], settings: Mapping[str, str]
    ) -> None: ...
    def add_partitions(
        self, topic: str, first: int, assignments: Sequence[Sequence[int]]
    ) -> None: ...
    def delete_topic(self, topic: str) -> None: ...
    def has_topic(self, topic: str) -> bool: ...
    def is_free(self, topic: str) -> bool: ...  # another topic of that name can be created
    def topic_id(self, topic: str) -> uuid.UUID | None: ...
    def partition(self, where: TopicPartition) -> PartitionState: ...
    def partitions(
        self, wheres: Sequence[TopicPartition]
    ) -> Mapping[TopicPartition, PartitionState]: ...
    def reassign(
        self, where: TopicPartition, replicas: Sequence[int], timeout_s: float = 30.0
    ) -> None: ...
    def begin_reassignment(self, where: TopicPartition, replicas: Sequence[int]) -> None: ...
    def elect_preferred(self, where: TopicPartition) -> None: ...
    def alter(self, what: Altered, settings: Mapping[str, str | None]) -> None: ...
    def registered(self) -> frozenset[int]: ...
    def end_session(self, broker: int) -> None: ...
    def fail_over_controller(self) -> int: ...
    def move_controller(self, to: int) -> None: ...


class Node(Protocol):
    """A broker, a controller or a ZooKeeper; may be started again after it has ended."""

    @property
    def name(self) -> str: ...
    @property
    def log(self) -> Path: ...
    @property
    def pid(self) -> int:
        """Of its JVM, as this machine counts; raises InfrastructureError where that is unknown."""

    @property
    def running(self) -> bool: ...
    def start(self) -> None: ...
    def kill(self) -> None:
        """SIGKILL; returns when it is gone."""

    def terminate(self) -> None:
        """SIGTERM, for an orderly shutdown; returns when it is gone."""

    def pause(self) -> None:
        """Freeze it; returns when the kernel says that it is frozen."""

    def resume(self) -> None: ...
    def assert_running(self) -> bool:
        """True; raises InfrastructureError with the end of the log when it has ended."""

    def limit_cpu(self, cores: float | None) -> None:
        """Let it have so much of the processors, None for all; PreconditionError where not."""

    def disconnect(self) -> None:
        """Take it off its network; raises PreconditionError where it has none of its own."""

    def reconnect(self) -> None: ...
    def run(self, words: Sequence[str]) -> str:
        """What a program says there, with the node's view of time and files.

        Raises PreconditionError with its output when it fails.
        """


class Nodes(Protocol):
    """What a cluster runs as, where that is ours to start and to end; a node is had by its number.

    `on_event` hears what becomes of one: started, serving, killed, terminated ...
    """

    on_event: Callable[[int, str], None] | None

    @property
    def controller(self) -> int: ...  # the node that has no replicas and shall be the controller
    @property
    def voters(self) -> tuple[int, ...]: ...  # who keep the metadata: ZooKeeper's, or KRaft's
    @property
    def numbers(self) -> tuple[int, ...]: ...  # all of them, the voters as well
    def __getitem__(self, number: int) -> Node: ...
    def start(self, number: int) -> None: ...
    def terminate(self, number: int) -> None: ...
    def kill(self, number: int) -> None: ...
    def pause(self, number: int) -> Mapping[str, Any]: ...
    def resume(self, number: int) -> None: ...
    def running(self, number: int) -> bool: ...
    def frozen(self, number: int) -> bool: ...  # it runs, and does nothing until it is resumed
    def clock(self, number: int) -> Path: ...  # the file that sets its wall clock
    def await_serving(self, broker: int) -> None: ...
    def add_broker(self) -> int: ...
    def remove_broker(self, broker: int) -> None: ...
    def runs(self, number: int) -> Kafka: ...  # what a node is of
    def require_upgradable(self) -> None: ...
    def put(self, number: int, kafka: Kafka, changed: Mapping[str, str]) -> None: ...
    def await_voter(self, voter: int) -> None: ...
    def raise_metadata_version(self) -> int: ...
    def begin_migration(self) -> Sequence[int]: ...
    def turn(self, number: int, stage: Turn) -> None: ...
    def await_copied(self) -> None: ...
    def give_up_migration(self) -> None: ...
    def end_zookeeper(self) -> None: ...
    def quorum_leader(self) -> int:
        """The voter that leads the others, or is the only one.

        Raises NoLeaderError, a PreconditionError and LookupError, when none of several says so.
        """


class Files(Protocol):
    """What nodes write, and what they were told, where this machine can read it."""

    @property
    def owners(self) -> tuple[int, ...]: ...  # all that have a server log
    def log_dir(self, number: int) -> Path: ...
    def server_log(self, number: int) -> Path: ...
    def properties(self, number: int) -> Path: ...


class Cluster(Protocol):
    """An endpoint: brokers, what they say of themselves, and what the metadata say of them.

    What else there is of CAPABILITIES it says in `has`; the attribute of one that is missing raises
    UsageError, in words.
    """

    @property
    def has(self) -> frozenset[str]: ...
    @property
    def keeps_data(self) -> bool: ...  # it is somebody's, who has it back with what is in it
    @property
    def spec(self) -> ClusterSpec: ...
    @property
    def kafka(self) -> Kafka: ...
    @property
    def brokers(self) -> tuple[int, ...]: ...
    @property
    def coordinators(self) -> tuple[int, ...]: ...
    @property
    def bootstrap(self) -> str: ...
    @property
    def client_bootstrap(self) -> str: ...
    @property
    def metadata(self) -> Metadata: ...
    def address(self, broker: int) -> str: ...
    def probe(self, broker: int) -> ReplicaProbe: ...

    @property
    def nodes(self) -> Nodes: ...
    @property
    def gate(self) -> GateProcess: ...
    @property
    def files(self) -> Files: ...


def lacking(who: str, needed: str, has: frozenset[str]) -> str:
    """That a cluster has not what somebody needs, in words."""
    there = ", ".join(name for name in CAPABILITIES if name in has)
    return (
        f"{who} needs {needed}, {CAPABILITIES[needed]}: this cluster has "
        f"{there or 'nothing but the addresses of its brokers'}"
    )


def running(cluster: Cluster, brokers: Iterable[int]) -> tuple[int, ...]:
    """Those of these brokers that run, as far as we would know."""
    knows = NODES in cluster.has
    return tuple(each for each in brokers if not knows or cluster.nodes.running(each))


class Fault(Protocol[InjectedT_co]):
    """Something that goes wrong for as long as the context is open.

    Entering proves that it took effect or raises; leaving heals it, whatever happened inside.
    A fault is a value: its `repr` goes into the record and can be pasted back.
    """

    def inject(self, cluster: Cluster) -> AbstractContextManager[InjectedT_co]: ...
