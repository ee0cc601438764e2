"""Formats KRaft storage without a JVM per node.

Kafka's own StorageTool runs once per version; what it wrote is kept, and every later log directory
gets a copy of its bootstrap checkpoint and a meta.properties with its own ids.
"""

from __future__ import annotations

import base64
import os
import shutil
import subprocess
import tempfile
import uuid
from collections.abc import Mapping
from pathlib import Path

from highwater.harness.errors import InfrastructureError
from highwater.harness.jvm.runtime import STORAGE_TOOL, Runtime
from highwater.harness.properties import write_properties
from highwater.harness.settings import CONTROLLER_ID
from highwater.harness.versions.cache import cache_dir

META = "meta.properties"
BOOTSTRAP = "bootstrap.checkpoint"  # in every log directory
# From 4.4 on: the metadata log's own first snapshot, of controllers alone (KAFKA-19648).
ZERO = Path("__cluster_metadata-0", "00000000000000000000-0000000000.checkpoint")
FORMAT_TIMEOUT_S = 60


def new_cluster_id() -> str:
    """Fresh for every run, so that a stray controller of another run is refused."""
    return base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")


def format_storage(template: Path, log_dir: Path, node: int, cluster_id: str) -> None:
    """Make `log_dir` the empty storage of one node; `template` is what StorageTool wrote."""
    log_dir.mkdir(parents=True)
    if template.name == BOOTSTRAP:
        shutil.copy(template, log_dir / BOOTSTRAP)
    elif node >= CONTROLLER_ID:
        (log_dir / ZERO.parent).mkdir()
        shutil.copy(template, log_dir / ZERO)
    write_properties(
        log_dir / META,
        {"version": "1", "cluster.id": cluster_id, "node.id": str(node)},
    )


def cluster_of(log_dir: Path) -> str:
    """The id of the cluster whose data lie there; raises InfrastructureError where none is told."""
    for line in (log_dir / META).read_text().splitlines():
        name, _, value = line.partition("=")
        if name == "cluster.id":
            return value
    raise InfrastructureError(f"{log_dir / META} does not tell the cluster.id")


def storage_template(runtime: Runtime, features: Mapping[str, str]) -> Path:
    """The bootstrap checkpoint of a version with these feature levels, made once and kept."""
    levels = "+".join(f"{name}={level}" for name, level in sorted(features.items()))
    place = cache_dir() / "storage" / runtime.digest / levels
    for kept in (place / BOOTSTRAP, place / ZERO.name):
        if kept.exists():
            return kept
    place.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=place) as folder:
        written = _run_storage_tool(runtime, Path(folder), features)
        return written.replace(place / written.name)


def _run_storage_tool(runtime: Runtime, folder: Path, features: Mapping[str, str]) -> Path:
    properties = folder / "server.properties"
    write_properties(
        properties,
        {
            "node.id": "1",
            "process.roles": "controller",
            "controller.quorum.voters": "1@127.0.0.1:1",
            "controller.listener.names": "CONTROLLER",
            "listeners": "CONTROLLER://127.0.0.1:1",
            "log.dirs": str(folder / "data"),
        },
    )
    arguments = ["format", "-t", new_cluster_id(), "-c", str(properties)]
    for name, level in features.items():
        arguments += ["--feature", f"{name}={level}"]
    done = subprocess.run(
        runtime.line(STORAGE_TOOL, arguments),
        capture_output=True,
        text=True,
        check=False,
        env=os.environ.copy(),
        timeout=FORMAT_TIMEOUT_S,
    )
    if done.returncode:
        raise InfrastructureError(
            f"Kafka {runtime.kafka.name}'s StorageTool ended with {done.returncode}: "
            f"{(done.stdout + done.stderr)[-600:]}"
        )
    return _written(folder / "data", runtime)


def _written(data: Path, runtime: Runtime) -> Path:
    """The checkpoint, wherever this version has put it."""
    for written in (data / BOOTSTRAP, data / ZERO):
        if written.exists():
            return written
    raise InfrastructureError(
        f"Kafka {runtime.kafka.name}'s StorageTool wrote neither {BOOTSTRAP} nor {ZERO}, but "
        f"{sorted(str(each.relative_to(data)) for each in data.rglob('*'))}"
    )
