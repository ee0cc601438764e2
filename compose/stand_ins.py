"""A cluster that somebody else's compose file has started, borrowed: stand-ins take its place.

Each container with a Kafka or a ZooKeeper server stops, and one of the same image plays with a copy
of its data and its own settings, behind the gate. Nothing of what was there is changed: it is
started again when the play is over, also when the harness is killed, see `watchdog`.
"""

from __future__ import annotations

import os
import shlex
import shutil
import uuid
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import docker
from docker import version
from docker.types import EndpointConfig
from testcontainers.core.config import testcontainers_config
from testcontainers.core.container import DockerContainer

from highwater.compose.asking import Found, found_in
from highwater.compose.copying import copy_data, copy_of_server, divide, forget_election
from highwater.compose.fit import kafka_of, members_in
from highwater.compose.fit_together import divided, stopping_order, voters_of
from highwater.compose.images import engine
from highwater.compose.labels import owned_by_us
from highwater.compose.network import FIRST_ADDRESS, gateway, make_network
from highwater.compose.node import ContainerNode, Housing
from highwater.compose.restoration import stop_together
from highwater.compose.watchdog import STAND_INS, Watchdog
from highwater.harness.cluster import Node
from highwater.harness.jvm.runtime import Runtime
from highwater.harness.lifetime import Lifetime
from highwater.harness.processes.ports import HOST
from highwater.harness.processes.warden import Warden
from highwater.harness.sites import Members, Program
from highwater.harness.wait import wait_until

START_TIMEOUT_S = 120.0
ASK_INTERVAL_S = 0.5
# Of a JVM: what it writes where only its own image has a place for it.
OWN_PLACES = ("-Xlog", "-Xloggc", "-verbose:gc", "-XX:+PrintGC")


class StandInSite(Lifetime):
    """Stand-ins for the Kafkas of a project and their ZooKeeper, for the length of a `with`."""

    clients_at = HOST
    holds_data = True
    keeps_release = "a borrowed cluster is its owner's to upgrade"

    def __init__(self, project: str, nodes: int, runtime: Runtime, directory: Path) -> None:
        """`nodes` is how many containers there were with one when the project was first asked."""
        super().__init__()
        self._nodes_then = nodes
        self.runtime = runtime
        self.project = project
        self.directory = directory
        self.session = uuid.uuid4().hex
        self._found: Mapping[int, Found] = {}
        self._divided: Mapping[int, int] = {}
        self._nodes: list[ContainerNode] = []

    @property
    def members(self) -> Members:
        return members_in([self._found[each] for each in self._numbers])

    @property
    def inside(self) -> Path:
        return self.directory

    @property
    def group(self) -> int:
        return self._warden.group

    @property
    def gate_at(self) -> str:
        return gateway(self._prefix)

    @cached_property
    def identity(self) -> Mapping[str, Any]:
        """Asks a node that runs, once."""
        found = self._model.container
        return {
            "java": self._java,
            "image": found.attrs["Config"]["Image"],
            "image_id": found.attrs["Image"],
            "project": self.project,
            "stands_in_for": sorted({each.service for each in self._found.values()}),
            **({"divided": sorted(self._divided)} if self._divided else {}),
        }

    @cached_property
    def _java(self) -> str:
        named = {f"broker-{each.number}" for each in self._found.values() if _has_data(each)}
        node = next(each for each in self._nodes if each.name in named and each.running)
        said = node.run([self._model.line[0], "-version"])
        return next(line for line in said.splitlines() if "version" in line)

    @property
    def _model(self) -> Found:
        """A broker: what is not there, such as a broker that shall be the controller, is as it."""
        return next(each for each in self._found.values() if _has_data(each))

    def address(self, node: int) -> str:
        place = list(self._found).index(node) if node in self._found else len(self._found)
        return f"{self._prefix}.{FIRST_ADDRESS + place}"

    def ports(self, node: int) -> tuple[int, ...]:  # noqa: ARG002 - any will do
        return ()

    def node(self, program: Program) -> Node:
        log = self.directory / f"{program.name}.log"
        housing = Housing(
            make=lambda: self._container(program, log),
            network=self._network.name,
            address=self.address(program.number),
        )
        made = ContainerNode(program.name, log, housing)
        self._nodes.append(made)
        return made

    def _begin(self) -> None:
        client = self._ending.enter_context(engine())
        found = self._await_found(client)
        self._numbers = [each.number for each in found]
        self._divided = divided(found)
        self._found = {**{each.number: each for each in found}, **voters_of(found)}
        testcontainers_config.ryuk_disabled = True  # the watchdog does without
        ids = ",".join(str(each.container.short_id) for each in found)
        self._ending.enter_context(Watchdog(f"{STAND_INS}{self.session}:{ids}"))
        self._warden = self._ending.enter_context(Warden())
        shutil.rmtree(self.directory, ignore_errors=True)
        self.directory.mkdir(parents=True)
        for several in stopping_order(found):
            stop_together(each.container for each in several)
        for each in found:
            copy = copy_of_server if each.is_zookeeper else copy_data
            copy(client, each, self.directory)
        self._divide()
        self._network, self._prefix = make_network(self.session)

    def _divide(self) -> None:
        """Brokers that were controllers as well are two nodes from now on."""
        for broker, controller in self._divided.items():
            own, other = (self.directory / f"data-{each}" for each in (broker, controller))
            divide(own, other, controller)
        for number in self._found if self._divided else ():
            forget_election(self.directory / f"data-{number}")

    def _await_found(self, client: docker.DockerClient) -> Sequence[Found]:
        """All of them: after another play they may just have been started again."""
        found = wait_until(
            lambda: self._all_of(found_in(client, self.project)),
            f"{self._nodes_then} containers of {self.project} to run a Kafka",
            START_TIMEOUT_S,
            interval_s=ASK_INTERVAL_S,
            look=f"docker compose -p {self.project} ps --all",
        )
        kafka_of(self.project, found)  # it may be another one than when it was first asked
        return found

    def _all_of(self, found: Sequence[Found]) -> Sequence[Found]:
        return found if len(found) == self._nodes_then else ()

    def _container(self, program: Program, log: Path) -> DockerContainer:
        found = self._found.get(program.number, self._model)
        config, limits = found.container.attrs["Config"], found.container.attrs["HostConfig"]
        where = EndpointConfig(version.__version__, ipv4_address=self.address(program.number))
        made = (
            DockerContainer(found.container.attrs["Image"])
            .with_name(f"highwater-{self.session[:8]}-{program.name}")
            .with_command(["-c", _line(found, program.properties, log)])
            .with_volume_mapping(self.directory, str(self.directory), "rw")
            .with_kwargs(
                entrypoint=["sh"],
                hostname=program.name,
                user=f"{os.getuid()}:{os.getgid()}",
                labels=owned_by_us(self.session),
                network=self._network.name,
                networking_config={self._network.name: where},
                working_dir=found.works_in,
                mem_limit=limits.get("Memory") or None,
                nano_cpus=limits.get("NanoCpus") or None,
            )
        )
        made.image = found.container.attrs["Image"]  # no prefix of a registry belongs to it
        for each in config["Env"] or ():
            name, is_set, value = each.partition("=")
            if is_set:  # else it is one that the image has, and this container not
                made.with_env(name, value)
        for source, inside in _mounts(found):
            made.with_volume_mapping(source, inside, "ro")
        published: dict[str, Any] = {f"{port}/tcp": (HOST, port) for port in program.published}
        made.ports.update(published)
        return made


def _has_data(found: Found) -> bool:
    return "broker" in found.roles


def _line(found: Found, properties: Path, log: Path) -> str:
    """Its JVM and its options, with our configuration; its output goes where we read it."""
    before = found.line[: found.line.index(found.main)]
    options = [word for word in before if not word.startswith(OWN_PLACES)]
    words = [options[0], "-Duser.timezone=UTC", *options[1:], found.main, str(properties)]
    return f"exec {shlex.join(words)} >> {shlex.quote(str(log))} 2>&1"


def _mounts(found: Found) -> list[tuple[str, str]]:
    """What else is mounted there, certificates perhaps, or jars; never its data."""
    places = [Path(each) for each in found.log_dirs]
    return [
        (each.get("Name") or each["Source"], each["Destination"])
        for each in found.container.attrs["Mounts"]
        if not any(_is_of(place, Path(each["Destination"])) for place in places)
    ]


def _is_of(data: Path, mounted: Path) -> bool:
    return data.is_relative_to(mounted) or mounted.is_relative_to(data)
