"""What the containers of a compose project run, found by asking them: no label of ours is needed.

A Kafka is a Java process of the class `kafka.Kafka`, in whatever image. Its command line says which
jars it has and where its configuration is; that says who it is and where its data lie.
"""

from __future__ import annotations

import io
import re
import tarfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import docker
from docker.errors import DockerException
from docker.models.containers import Container
from requests.exceptions import RequestException

from highwater.compose.labels import PROJECT, SERVICE
from highwater.harness.errors import InfrastructureError, UsageError
from highwater.harness.jvm.runtime import BROKER
from highwater.harness.properties import properties_in

CLASS_PATH = ("-cp", "-classpath", "--class-path")
RELEASE = re.compile(r"kafka_2\.1[0-9]-([0-9][\w.-]*)\.jar")
NUMBER = re.compile(r"[0-9]{1,10}")
OVERRIDE = "--override"
DEFAULT_DATA = "/tmp/kafka-logs"  # noqa: S108 - Kafka's own, in a container


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A container with a Kafka, as it runs now."""

    container: Container
    pid: int  # of its JVM, as this machine counts
    line: Sequence[str]  # the JVM, its options and its class, and what that is told
    settings: Mapping[str, str]
    release: str  # of its jars

    @property
    def service(self) -> str:
        return str(self.container.labels.get(SERVICE, self.container.name))

    @property
    def number(self) -> int:
        """-1 where it says none that can be read here."""
        told = self.settings.get("node.id", self.settings.get("broker.id", "")).strip()
        return int(told) if NUMBER.fullmatch(told) else -1

    @property
    def roles(self) -> frozenset[str]:
        """None of them where it needs ZooKeeper."""
        return frozenset(filter(None, _words(self.settings.get("process.roles", ""))))

    @property
    def log_dirs(self) -> Sequence[str]:
        told = self.settings.get("log.dirs") or self.settings.get("log.dir", DEFAULT_DATA)
        own = self.settings.get("metadata.log.dir", "").strip()  # may be the one of the logs
        return [*dict.fromkeys(filter(None, [*_words(told), own]))]

    @property
    def data(self) -> Path:
        """Its data, as this machine finds them while it runs."""
        return Path(f"/proc/{self.pid}/root") / self.log_dirs[0].lstrip("/")


def found_in(client: docker.DockerClient, project: str) -> Sequence[Found]:
    """Every Kafka that runs in a project, controllers first.

    Raises InfrastructureError where a container does not answer.
    """
    chosen = {"label": f"{PROJECT}={project}"}
    found = [_asked(each) for each in client.containers.list(filters=chosen)]
    return sorted(filter(None, found), key=lambda each: ("broker" in each.roles, each.number))


def _asked(container: Container) -> Found | None:
    try:
        running = _command_line(container)
        if running is None:
            return None
        pid, line = running
        told = _told(container, line)
        return Found(
            container=container, pid=pid, line=line, settings=told, release=_release(pid, line)
        )
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
        if BROKER in words:
            return pid, words[:-1]
    if unseen and len(unseen) == len(told["Processes"]):
        raise InfrastructureError(
            f"no process of {container.name} is one of this machine's that we may see: {unseen[0]}"
        )
    return None


def _told(container: Container, line: Sequence[str]) -> Mapping[str, str]:
    """What its file says, and what its command line says instead."""
    after = [*line[line.index(BROKER) + 1 :]]
    overrides = {}
    while OVERRIDE in after:
        at = after.index(OVERRIDE)
        name, _, value = after[at + 1].partition("=")
        overrides[name] = value
        del after[at : at + 2]
    if not after:
        raise UsageError(f"{container.name} runs a Kafka without a configuration: {line}")
    place = PurePosixPath(container.attrs["Config"].get("WorkingDir") or "/", after[0])
    return {**properties_in(_content(container, str(place))), **overrides}


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
            jars += map(str, Path(f"/proc/{pid}/root", path[1:-2]).glob("*.jar"))
        else:
            jars.append(path)
    return jars


def _words(told: str) -> list[str]:
    return [each.strip() for each in told.split(",")]
