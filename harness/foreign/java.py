"""The adapter of Kafka's own Java client, compiled against the jars of any release."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Sequence
from pathlib import Path

from highwater.harness.foreign.building import step
from highwater.harness.jvm.java import find_java
from highwater.harness.versions.cache import cache_dir
from highwater.harness.versions.catalogue import Kafka, find_kafka
from highwater.harness.versions.jars import jars_named

SOURCES = Path(__file__).parents[2] / "adapters" / "java"
# What kafka-clients needs to send, with every compression that it knows.
NEEDED = ("kafka-clients", "lz4", "lz4-java", "snappy-java", "zstd-jni", "slf4j-api")
COMPILE_TIMEOUT_S = 120
JVM = ("-Xmx256m", "-XX:+UseSerialGC", "-XX:-UsePerfData", "-Djava.awt.headless=true")


def adapter(version: str, cluster: Kafka) -> Sequence[str]:
    """The command of one version, or of the cluster's own where none is named.

    Raises UsageError for a version that nobody has, and InfrastructureError where its jars or a
    compiler cannot be had.
    """
    jars = jars_named(find_kafka(version) if version else cluster, NEEDED)
    classes = _compiled(jars)
    path = ":".join(map(str, [classes, *jars]))
    return (find_java().path, *JVM, "-cp", path, "Adapter")


def _compiled(jars: Sequence[Path]) -> Path:
    """The directory of its classes, made once for these jars and this Java."""
    java = find_java()
    told = [*(each.read_text(encoding="utf-8") for each in _sources()), java.description]
    told += map(str, jars)
    digest = hashlib.sha256("\n".join(told).encode()).hexdigest()[:16]
    target = cache_dir() / "adapters" / f"java-{digest}"
    if target.is_dir():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".build-") as staging:
        built = Path(staging) / "classes"
        _compile(Path(java.path).with_name("javac"), jars, built)
        try:
            built.rename(target)
        except OSError:  # another process was first
            if not target.is_dir():
                raise
    return target


def _compile(javac: Path, jars: Sequence[Path], into: Path) -> None:
    path = ":".join(map(str, jars))
    line = [str(javac), "-nowarn", "-cp", path, "-d", str(into), *map(str, _sources())]
    what = f"the adapter in {SOURCES} cannot be compiled by {javac}, which a JDK has"
    step(line, COMPILE_TIMEOUT_S, what)


def _sources() -> Sequence[Path]:
    return sorted(SOURCES.glob("*.java"))
