"""A cluster's ground in Docker: every node is a container on a network of their own.

Nodes have fixed addresses there, and listen on ports that are published on 127.0.0.1 under the same
numbers, so both stay what they are when a container is stopped and started. The gate runs beside
the harness and listens on the network's gateway address, where every container finds it. What nodes
write lies in a directory of this machine, so it can be read, and cut, while they are down.
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

from docker import version
from docker.types import EndpointConfig
from testcontainers.core.config import testcontainers_config
from testcontainers.core.container import DockerContainer

from highwater.compose.images import Image, engine
from highwater.compose.labels import owned_by_us
from highwater.compose.network import FIRST_ADDRESS, gateway, make_network
from highwater.compose.node import ContainerNode, Housing, java_of
from highwater.compose.watchdog import Watchdog
from highwater.harness.jvm.runtime import BROKER, LOGGING, Runtime, java_line, limiting, sharing
from highwater.harness.jvm.wrapping import Wrapper, wrapper_of
from highwater.harness.lifetime import Lifetime
from highwater.harness.processes.ports import HOST
from highwater.harness.processes.warden import Warden
from highwater.harness.sites import Program

OWN_JARS = Path("/highwater/libs")  # as the Dockerfile says
PUBLISHED_JARS = ("/opt/kafka/libs", "/usr/share/java/kafka")  # apache/kafka, Confluent's
LIFETIME_S = 24 * 3600  # the last resort, if everything else that cleans up has failed


class DockerSite(Lifetime):
    """Containers of one image, with what they write in `directory`.

    `options` are for the brokers' JVMs; by default they use the image's class archive.
    """

    clients_at = HOST
    members = None
    holds_data = False
    keeps_release = "containers are made of one image; processes can be upgraded"

    def __init__(
        self, runtime: Runtime, image: Image, directory: Path, options: Sequence[str] | None = None
    ) -> None:
        super().__init__()
        self.runtime = runtime
        self.image = image
        self._options = sharing(image.archive) if options is None else options
        self.directory = directory
        self.session = uuid.uuid4().hex
        self.nodes: dict[int, ContainerNode] = {}

    @property
    def inside(self) -> Path:
        return self.directory

    @property
    def group(self) -> int:
        return self._warden.group

    @property
    def gate_at(self) -> str:
        """The network's gateway: this machine, as containers see it."""
        return gateway(self._prefix)

    @cached_property
    def identity(self) -> Mapping[str, Any]:
        """Asks a node that runs, once."""
        jars = {} if self.image.published else {"jars": self.runtime.described}
        image = {"image": self.image.name, "image_id": self.image.identity}
        return {"java": java_of(self.nodes.values()), **image, **jars}

    def address(self, node: int) -> str:
        return f"{self._prefix}.{FIRST_ADDRESS + node}"

    def ports(self, node: int) -> tuple[int, ...]:  # noqa: ARG002 - any will do
        return ()

    def node(self, program: Program) -> ContainerNode:
        log = self.directory / f"{program.name}.log"
        wrapper = wrapper_of(program.clock, obeys_file_modes=program.obeys_file_modes)
        housing = Housing(
            make=lambda: self._container(program, log, wrapper),
            network=self._network.name,
            address=self.address(program.number),
            wrapper=wrapper,
        )
        made = ContainerNode(program.name, log, housing)
        self.nodes[program.number] = made
        return made

    def _begin(self) -> None:
        if not self._has_reaper():  # nor is it fetched: the watchdog does without
            testcontainers_config.ryuk_disabled = True
        self._ending.enter_context(Watchdog(self.session))  # leaving it takes everything away
        self._warden = self._ending.enter_context(Warden())
        shutil.rmtree(self.directory, ignore_errors=True)
        shutil.copytree(LOGGING, self.directory / "logging")
        self._network, self._prefix = make_network(self.session)

    def _has_reaper(self) -> bool:
        with engine() as client:
            tags = {tag for image in client.images.list() for tag in image.tags}
        return testcontainers_config.ryuk_image in tags

    def _container(self, program: Program, log: Path, wrapper: Wrapper) -> DockerContainer:
        where = EndpointConfig(version.__version__, ipv4_address=self.address(program.number))
        made = (
            DockerContainer(self.image.name)
            .with_name(f"highwater-{self.session[:8]}-{program.name}")
            .with_command(["sh", "-c", self._line(program, log, wrapper)])
            .with_volume_mapping(self.directory, str(self.directory), "rw")
            .with_volume_mapping(self.image.archive.parent, str(self.image.archive.parent), "ro")
            .with_kwargs(
                hostname=program.name,
                user=f"{os.getuid()}:{os.getgid()}",
                labels=owned_by_us(self.session),
                network=self._network.name,
                networking_config={self._network.name: where},
                working_dir=str(self.directory),
            )
        )
        made.image = self.image.name  # it is local: no prefix of a registry belongs to it
        published: dict[str, Any] = {f"{port}/tcp": (HOST, port) for port in program.published}
        made.ports.update(published)
        return made

    def _line(self, program: Program, log: Path, wrapper: Wrapper) -> str:
        """Its output goes into a file, over all its lives: it is read while the node is down."""
        jars = [OWN_JARS / jar.name for jar in self.runtime.jars]
        found = "$jars/*" if self.image.published else ":".join(str(jar) for jar in jars)
        options = [*(self._options if program.main == BROKER else ()), *limiting(program.heap_mib)]
        what = [*options, program.main, str(program.properties)]
        line = java_line("java", self.directory / "logging", found, what)
        limited = " ".join(
            _quoted(word) for word in ("timeout", "-k", "10", str(LIFETIME_S), *wrapper(line))
        )
        where = f"for jars in {' '.join(PUBLISHED_JARS)}; do test -d $jars && break; done; "
        return f"{where if self.image.published else ''}exec {limited} >> {_quoted(str(log))} 2>&1"


def _quoted(word: str) -> str:
    return f'"{word}"' if word.startswith("$jars") else shlex.quote(word)
