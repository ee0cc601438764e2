"""A cluster that `docker compose` has started, borrowed: its nodes get our configuration, and later
their own again.

That takes a restart on the way in and on the way out: only so do brokers tell one another to meet
at the gate. What they had stays where it is. A harness that is killed gives the cluster back as
well, see `watchdog`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import docker
from docker.models.containers import Container

from highwater.compose.asking import Found, found_in
from highwater.compose.file import STATE
from highwater.compose.fit import kafka_of, members_in
from highwater.compose.fit_together import divided
from highwater.compose.images import engine
from highwater.compose.labels import KAFKA, NODE, PORTS, SERVICE
from highwater.compose.node import ContainerNode, Housing, java_of
from highwater.compose.restoration import containers_of, restore, stop_all
from highwater.compose.stand_ins import StandInSite
from highwater.compose.watchdog import ATTACHED, Watchdog
from highwater.harness.cluster import VOTERS
from highwater.harness.errors import UsageError
from highwater.harness.jvm.runtime import Runtime
from highwater.harness.lifetime import Lifetime
from highwater.harness.processes.ports import HOST
from highwater.harness.processes.warden import Warden
from highwater.harness.settings import CONTROLLER_ID, voter_ids
from highwater.harness.sites import Program, Site
from highwater.harness.versions.catalogue import Kafka, find_kafka


@dataclass(frozen=True, slots=True)
class Project:
    """What a compose project runs."""

    kafka: Kafka
    voters: int
    brokers: int
    is_ours: bool = True  # its file was written by `highwater compose`
    combined: bool = False  # its voters are brokers
    nodes: int = 0  # in how many containers
    divided: tuple[int, ...] = ()  # brokers that are controllers, and play as two nodes


def project_of(project: str) -> Project:
    """What a project runs: by our labels, or else by asking its containers.

    Raises UsageError when there is no such project, or nobody can stand in for what it runs;
    InfrastructureError when Docker does not answer.
    """
    with engine() as client:
        containers = containers_of(client, project)
        if not containers:
            raise UsageError(
                f"no compose project {project!r} has containers; see: docker compose ls"
            )
        if not is_ours(containers):
            return _asked(project, found_in(client, project))
        names = {container.labels[KAFKA] for container in containers}
        numbers = {container.labels.get(NODE) for container in containers}
    if len(names) != 1:
        raise UsageError(
            f"{project!r} has services of several Kafkas: expected one label {KAFKA}, "
            f"saw {sorted(names)}"
        )
    kafka = find_kafka(str(names.pop()))
    voters = {str(each) for each in voter_ids(kafka, max(VOTERS))} & numbers
    return Project(kafka, len(voters), len(numbers - voters - {str(CONTROLLER_ID)}))


def _asked(project: str, found: Sequence[Found]) -> Project:
    kafka, members = kafka_of(project, found), members_in(found)
    return Project(
        kafka,
        voters=len(members.voters),
        brokers=len(members.brokers),
        is_ours=False,
        combined=members.voters.keys() <= members.brokers.keys(),
        nodes=len(found),
        divided=tuple(divided(found)),
    )


def attached_site(project: str, nodes: int, runtime: Runtime, directory: Path) -> Site:
    """Ground for one cluster: the containers of the project, or stand-ins for so many of them."""
    with engine() as client:
        ours = is_ours(containers_of(client, project))
    if ours:
        return AttachedSite(runtime, project)
    return StandInSite(project, nodes, runtime, directory)


def is_ours(containers: Iterable[Container]) -> bool:
    """Whether all of these carry our labels."""
    return all(KAFKA in container.labels for container in containers)


class AttachedSite(Lifetime):
    """The containers of a project, for the length of a `with`."""

    clients_at = HOST
    inside = STATE
    members = None
    holds_data = True
    keeps_release = "a borrowed cluster is its owner's to upgrade"

    def __init__(self, runtime: Runtime, project: str) -> None:
        super().__init__()
        self.runtime = runtime
        self.project = project
        self._client: docker.DockerClient
        self._containers: dict[int, Container] = {}
        self._nodes: list[ContainerNode] = []

    @property
    def group(self) -> int:
        return self._warden.group

    @property
    def directory(self) -> Path:
        """The project's ./state."""
        mounts = next(iter(self._containers.values())).attrs["Mounts"]
        return Path(next(each["Source"] for each in mounts if each["Destination"] == str(STATE)))

    @property
    def gate_at(self) -> str:
        """The gateway of the project's network: this machine, as containers see it."""
        return str(self._network["Gateway"])

    @property
    def identity(self) -> Mapping[str, Any]:
        """As this project's containers have it."""
        image = next(iter(self._containers.values())).image
        told = {"image": image.tags[0] if image and image.tags else None, "project": self.project}
        return {"java": self._java, **told}

    def address(self, node: int) -> str:
        container = self._containers.get(node)
        if container is None:
            return HOST  # there is no such node
        return str(_network_of(container)["IPAMConfig"]["IPv4Address"])

    def ports(self, node: int) -> tuple[int, ...]:
        container = self._containers.get(node)
        return () if container is None else tuple(map(int, container.labels[PORTS].split()))

    def node(self, program: Program) -> ContainerNode:
        container = self._containers.get(program.number)
        if container is None:
            raise UsageError(
                f"{self.project} has no {program.name}; it has "
                f"{sorted(each.labels[SERVICE] for each in self._containers.values())}"
            )
        network = container.attrs["NetworkSettings"]["Networks"]
        housing = Housing(
            make=None, network=next(iter(network)), address=self.address(program.number)
        )
        log = self.directory / f"{program.name}.log"
        made = ContainerNode(program.name, log, housing, container)
        self._nodes.append(made)
        return made

    @cached_property
    def _java(self) -> str:
        return java_of(self._nodes)

    def _begin(self) -> None:
        self._client = self._ending.enter_context(engine())
        found = containers_of(self._client, self.project)
        self._containers = {int(each.labels[NODE]): each for each in found}
        self._network = dict(_network_of(found[0]))  # a container that is down tells no gateway
        self._ending.enter_context(Watchdog(f"{ATTACHED}{self.project}"))
        self._warden = self._ending.enter_context(Warden())
        self._ending.callback(restore, self._client, self.project)
        stop_all(found)


def _network_of(container: Container) -> dict[str, Any]:
    networks: dict[str, dict[str, Any]] = container.attrs["NetworkSettings"]["Networks"]
    return next(iter(networks.values()))
