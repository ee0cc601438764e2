"""What the containers of a compose project run, found by asking them: no label of ours is needed.

A Kafka is a Java process of the class `kafka.Kafka`, in whatever image, and a ZooKeeper server one
of `QuorumPeerMain`. Its command line says which jars it has and where its configuration is; that
says who it is and where its data lie.
"""

from __future__ import annotations

import io
import re
import tarfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

import docker
from docker.errors import DockerException, NotFound
from docker.models.containers import Container
from requests.exceptions import RequestException

from highwater.compose.labels import PROJECT, SERVICE
from highwater.harness.errors import InfrastructureError, UsageError
from highwater.harness.jvm.runtime import BROKER, ZOOKEEPER
from highwater.harness.properties import properties_in
from highwater.harness.settings import OTHER_ZOOKEEPERS

CLASS_PATH = ("-cp", "-classpath", "--class-path")
RELEASE = re.compile(r"kafka_2\.1[0-9]-([0-9][\w.-]*)\.jar")
NUMBER = re.compile(r"[0-9]{1,10}")
OVERRIDE = "--override"
PEERS_IN = "dynamicConfigFile"
DEFAULT_DATA = "/tmp/kafka-logs"  # noqa: S108 - Kafka's own, in a container


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A container with a Kafka, or a ZooKeeper server, as it runs now."""

    container: Container
    pid: int  # of its JVM, as this machine counts
    line: Sequence[str]  # the JVM, its options and its class, and what that is told
    settings: Mapping[str, str]
    release: str  # of its jars; "" of a ZooKeeper server
    number: int  # -1 where it says none that can be read here
    works_in: str = "/"  # the directory that relative paths of its command line are of

    @property
    def service(self) -> str:
        return str(self.container.labels.get(SERVICE, self.container.name))

    @property
    def main(self) -> str:
        """The class that its JVM runs."""
        return next(each for each in (BROKER, ZOOKEEPER) if each in self.line)

    @property
    def is_zookeeper(self) -> bool:
        return self.main == ZOOKEEPER

    @property
    def needs_zookeeper(self) -> bool:
        return not (self.is_zookeeper or self.settings.get("process.roles", "").strip())

    @property
    def roles(self) -> frozenset[str]:
        """Of a ZooKeeper server "zookeeper"."""
        if self.is_zookeeper:
            return frozenset({"zookeeper"})
        told = filter(None, _words(self.settings.get("process.roles", "")))
        return frozenset(told) or frozenset({"broker"})

    @property
    def peers(self) -> int:
        """How many ZooKeeper servers it says that there are, itself among them; 0: nothing."""
        return sum(name.startswith("server.") for name in self.settings)

    @property
    def log_dirs(self) -> Sequence[str]:
        if self.is_zookeeper:
            told = [self.settings.get(name, "").strip() for name in ("dataDir", "dataLogDir")]
            return [*dict.fromkeys(filter(None, told))]
        logs = self.settings.get("log.dirs") or self.settings.get("log.dir", DEFAULT_DATA)
        own = self.settings.get("metadata.log.dir", "").strip()  # may be the one of the logs
        return [*dict.fromkeys(filter(None, [*_words(logs), own]))]

    @property
    def is_removed_when_stopped(self) -> bool:
        return bool(self.container.attrs["HostConfig"].get("AutoRemove"))

    @property
    def data(self) -> Sequence[Path]:
        """Its data, as this machine finds them while it runs."""
        return [Path(f"/proc/{self.pid}/root") / each.lstrip("/") for each in self.log_dirs]


def found_in(client: docker.DockerClient, project: str) -> Sequence[Found]:
    """Every Kafka and ZooKeeper server that runs in a project, those with the metadata first.

    Without ZooKeeper servers where no Kafka needs them: they are some other program's. Raises
    InfrastructureError where a container does not answer.
    """
    chosen = {"label": f"{PROJECT}={project}"}
    asked = [_asked(each) for each in client.containers.list(filters=chosen)]
    found = sorted(filter(None, asked), key=lambda each: ("broker" in each.roles, each.number))
    is_old = any(each.needs_zookeeper for each in found)
    return _numbered([each for each in found if is_old or not each.is_zookeeper])


def _numbered(found: Sequence[Found]) -> Sequence[Found]:
    """ZooKeeper servers get numbers beyond everybody's: brokers may have the same as theirs."""
    beyond = max([OTHER_ZOOKEEPERS, *(each.number for each in found if not each.is_zookeeper)])
    servers = [each for each in found if each.is_zookeeper]
    return [
        replace(each, number=beyond + 1 + servers.index(each)) if each.is_zookeeper else each
        for each in found
    ]


def _asked(container: Container) -> Found | None:
    try:
        running = _command_line(container)
        if running is None:
            return None
        pid, line = running
        works_in = _works_in(pid) or container.attrs["Config"].get("WorkingDir") or "/"
        told = _told(container, line, works_in)
        found = Found(
            container=container,
            pid=pid,
            line=line,
            settings=told,
            release=_release(pid, line),
            number=_number(told),
            works_in=works_in,
        )
        return replace(found, number=_written_number(found)) if found.number < 0 else found
    except (DockerException, RequestException, OSError, ValueError) as error:
        text = getattr(error, "explanation", None) or error
        raise InfrastructureError(f"asked what {container.name} runs: {text}") from error


def _command_line(container: Container) -> tuple[int, Sequence[str]] | None:
    told = container.top()
    column = told["Titles"].index("PID")
    unseen: list[OSError] = []
    for pid in (int(row[column]) for row in told["Processes"]):
        try:
            raw = Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError as error:  # it has ended since, as scripts do that start a Kafka
            unseen.append(error)
            continue
        words = raw.decode(errors="replace").split("\0")
        if BROKER in words or ZOOKEEPER in words:
            return pid, words[:-1]
    if unseen and len(unseen) == len(told["Processes"]):
        raise InfrastructureError(
            f"no process of {container.name} is one of this machine's that we may see: {unseen[0]}"
        )
    return None


def _works_in(pid: int) -> str:
    """The directory that relative paths of its command line are of; "" where it is not told."""
    try:
        return str(Path(f"/proc/{pid}/cwd").readlink())
    except OSError:
        return ""


def _told(container: Container, line: Sequence[str], works_in: str) -> Mapping[str, str]:
    """What its file says, and what its command line says instead."""
    main = BROKER if BROKER in line else ZOOKEEPER
    after = [*line[line.index(main) + 1 :]]
    overrides = {}
    while OVERRIDE in after:
        at = after.index(OVERRIDE)
        name, _, value = after[at + 1].partition("=")
        overrides[name] = value
        del after[at : at + 2]
    if not after:
        what = "a Kafka" if main == BROKER else "a ZooKeeper server"
        raise UsageError(f"{container.name} runs {what} without a configuration: {line}")
    written = properties_in(_content(container, str(PurePosixPath(works_in, after[0]))))
    if peers := written.get(PEERS_IN, "").strip():  # where ZooKeeper puts its lines of servers
        written |= properties_in(_content(container, str(PurePosixPath(works_in, peers))))
    return {**written, **overrides}


def _number(settings: Mapping[str, str]) -> int:
    told = settings.get("node.id", settings.get("broker.id", "")).strip()
    return int(told) if NUMBER.fullmatch(told) else -1


def _written_number(found: Found) -> int:
    """What a broker that was told no number has been given, or a ZooKeeper server's own.

    See broker.id.generation.enable.
    """
    name = "myid" if found.is_zookeeper else "meta.properties"
    if not found.log_dirs or found.settings.get("broker.id", "-1").strip() != "-1":
        return -1
    try:
        written = _content(found.container, f"{found.log_dirs[0]}/{name}")
    except NotFound:
        return -1  # of a ZooKeeper server that is the only one
    return _number({"node.id": written.decode()} if found.is_zookeeper else properties_in(written))


def _content(container: Container, place: str) -> bytes:
    stream, _ = container.get_archive(place)
    with tarfile.open(fileobj=io.BytesIO(b"".join(stream))) as tar:
        for member in tar:
            if (content := tar.extractfile(member)) is not None:
                return content.read()
    raise ValueError(f"{place} is no file")


def _release(pid: int, line: Sequence[str]) -> str:
    """By the name of the jar with the broker in it; "" where there is none of such a name."""
    for path in _jars(pid, line):
        if match := RELEASE.fullmatch(PurePosixPath(path).name):
            return match[1]
    return ""


def _jars(pid: int, line: Sequence[str]) -> Sequence[str]:
    words = [line[at + 1] for at, word in enumerate(line[:-1]) if word in CLASS_PATH]
    jars: list[str] = []
    for path in ":".join(words).split(":"):
        if path.endswith("/*"):
            place = PurePosixPath(_works_in(pid) or "/", path[:-2])
            jars += map(str, Path(f"/proc/{pid}/root", str(place).lstrip("/")).glob("*.jar"))
        else:
            jars.append(path)
    return jars


def _words(told: str) -> list[str]:
    return [each.strip() for each in told.split(",")]
