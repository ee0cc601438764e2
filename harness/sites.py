"""What a cluster's nodes run on: processes of this machine, or containers.

A site is the ground of one cluster: it says under which addresses nodes and clients find one
another there, makes nodes, and takes everything down again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self

from highwater.harness.cluster import ClusterSpec, Node
from highwater.harness.jvm.runtime import Runtime
from highwater.harness.settings import voter_ids
from highwater.harness.versions.catalogue import Kafka


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """One node: what runs there, with which configuration, and what it tells the outside."""

    number: int
    name: str
    main: str  # its Java class
    properties: Path
    published: Sequence[int]  # ports for the outside; the others are for nodes only
    clock: Path | None = None  # sets its wall clock, see harness.jvm.wrapping
    obeys_file_modes: bool = False
    heap_mib: int | None = None  # at most
    runtime: Runtime | None = None  # None: the site's own


@dataclass(frozen=True, slots=True)
class Members:
    """Brokers and voters by their numbers, with what each is told besides what we tell it."""

    brokers: Mapping[int, Mapping[str, str]]
    voters: Mapping[int, Mapping[str, str]]
    root: str = ""  # the znode that all others are under, such as "/kafka"


def members_of(kafka: Kafka, spec: ClusterSpec) -> Members:
    """Of a cluster of ours."""
    voters = voter_ids(kafka, spec.voters, combined=spec.combined)
    return Members({each: {} for each in range(1, spec.brokers + 1)}, {each: {} for each in voters})


class Site(Protocol):
    """The ground of one cluster, for a `with`: entered before the first node is added."""

    @property
    def runtime(self) -> Runtime: ...
    @property
    def directory(self) -> Path: ...  # of everything that nodes write, readable from here
    @property
    def inside(self) -> Path: ...  # the same directory, as nodes see it
    @property
    def holds_data(self) -> bool: ...  # its nodes have run before, and keep what they have
    @property
    def members(self) -> Members | None: ...  # who is there already; None: whom we make
    @property
    def clients_at(self) -> str: ...  # the host under which the outside finds published ports
    @property
    def gate_at(self) -> str: ...  # the host on which the gate listens for nodes
    @property
    def keeps_release(self) -> str:  # why no node can get another one; "" where it can
        ...

    @property
    def group(self) -> int: ...  # a process group that ends when the harness does

    @property
    def identity(self) -> Mapping[str, Any]:
        """What nodes run on, for the record: `java`, and what else there is to say."""

    def address(self, node: int) -> str:
        """The host on which a node listens, and under which the other nodes find it."""

    def ports(self, node: int) -> tuple[int, ...]:
        """Those on which a node listens, clients' before replication; () where any will do."""

    def node(self, program: Program) -> Node: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...
