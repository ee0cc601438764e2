"""The command line of a node: the jars, the class archive, and a JVM kept small."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from highwater.harness.jvm.java import Java, find_java
from highwater.harness.versions.cache import cache_dir
from highwater.harness.versions.catalogue import Kafka
from highwater.harness.versions.jars import Progress, class_path

BROKER = "kafka.Kafka"
ZOOKEEPER = "org.apache.zookeeper.server.quorum.QuorumPeerMain"
STORAGE_TOOL = "kafka.tools.StorageTool"
HEAP_MIB = 96  # enough for few partitions, and it grows only where there are many
MOST_HEAP_MIB = 768  # 3,000 replicas on three brokers do not fit into 96 each
LOGGING = Path(__file__).parent / "logging"  # log4j.properties and log4j2.properties


@dataclass(frozen=True, slots=True)
class Runtime:
    """What it takes to start a JVM of one Kafka."""

    kafka: Kafka
    java: Java
    jars: tuple[Path, ...]

    @property
    def digest(self) -> str:
        """Changes with the jars, their place, the Java and the mode: an archive fits only these."""
        parts = (self.java.description, self.kafka.mode, *(str(jar) for jar in self.jars))
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]

    @property
    def described(self) -> dict[str, Any]:
        """The jars, for the record."""
        row = self.kafka.row
        return {"digest": self.digest, "added": list(row.add), "replaced": dict(row.replace)}

    @property
    def archive(self) -> Path:
        """Where the class-data-sharing archive is, once it has been made."""
        return cache_dir() / "archives" / f"{self.kafka.name}-{self.digest}.jsa"

    def line(self, main: str, arguments: Sequence[str], options: Sequence[str] = ()) -> list[str]:
        """A whole command line, with further options for the JVM."""
        jars = ":".join(str(jar) for jar in self.jars)
        return java_line(self.java.path, LOGGING, jars, [*options, main, *arguments])


def sharing(archive: Path) -> list[str]:
    """Options that use a class archive, if there is one."""
    shared = [f"-XX:SharedArchiveFile={archive}", "-Xshare:auto", "-Xlog:cds=off"]
    return shared if archive.exists() else []


def limiting(heap_mib: int | None) -> list[str]:
    """Options for another heap than the usual one, at most; of several the JVM takes the last."""
    return [] if heap_mib is None else [f"-Xmx{heap_mib}m"]


def dumping(archive: Path) -> list[str]:
    """Options that write a class archive at the JVM's orderly end."""
    return [f"-XX:ArchiveClassesAtExit={archive}"]


def java_line(java: str, logging: Path, jars: str, program: Sequence[str]) -> list[str]:
    """A small JVM; `program` is a class with its arguments, further options before it."""
    return [
        java,
        f"-Xms{HEAP_MIB}m",
        f"-Xmx{MOST_HEAP_MIB}m",
        "-XX:+ExitOnOutOfMemoryError",  # a node that limps on without memory shows nothing of Kafka
        "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1",
        "-XX:-UsePerfData",
        "-Djava.awt.headless=true",
        "-Duser.timezone=UTC",  # of the log: see harness.broker_logs
        f"-Dlog4j.configuration=file:{logging / 'log4j.properties'}",
        f"-Dlog4j2.configurationFile=file:{logging / 'log4j2.properties'}",
        "-cp",
        jars,
        *program,
    ]


def runtime(kafka: Kafka, *, offline: bool = False, progress: Progress | None = None) -> Runtime:
    """Java and jars for one Kafka; raises InfrastructureError when either is not to be had."""
    java = find_java()
    jars = class_path(kafka, offline=offline, progress=progress or (lambda _name, _bytes: None))
    return Runtime(kafka, java, tuple(jars))
