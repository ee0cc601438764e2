"""Where brokers run: the sites that `--backend` names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from highwater.harness.archive import ensure_archive
from highwater.harness.jvm.runtime import Runtime
from highwater.harness.nodes import Site
from highwater.harness.processes.site import ProcessSite

PROCESS = "process"
DOCKER = "docker"


def make_site(backend: str, runtime: Runtime, directory: Path, told: Callable[[str], None]) -> Site:
    """Ground for one cluster, with what has to be prepared once for a Kafka.

    Raises InfrastructureError where the backend cannot run here.
    """
    if backend == DOCKER:
        from highwater.compose.images import ensure_image  # noqa: PLC0415 - who needs no Docker ...
        from highwater.compose.site import DockerSite  # noqa: PLC0415 - ... does not load it

        image = ensure_image(runtime.kafka, runtime.jars, told=told)
        return DockerSite(runtime, image, directory)
    if not runtime.archive.exists():
        told(f"{runtime.kafka.name}: preparing a class archive (once)")
        ensure_archive(runtime)
    return ProcessSite(runtime, directory)
