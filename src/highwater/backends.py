"""Where brokers run: the sites that `--backend` names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from highwater.harness.archive import ensure_archive
from highwater.harness.errors import UsageError
from highwater.harness.jvm.runtime import Runtime
from highwater.harness.nodes import Site
from highwater.harness.processes.site import ProcessSite

PROCESS = "process"


def make_site(backend: str, runtime: Runtime, directory: Path, told: Callable[[str], None]) -> Site:
    """Ground for one cluster, with what has to be prepared once for a Kafka."""
    if backend != PROCESS:
        raise UsageError(f"unknown backend {backend!r}; expected {PROCESS}")
    if not runtime.archive.exists():
        told(f"{runtime.kafka.name}: preparing a class archive (once)")
        ensure_archive(runtime)
    return ProcessSite(runtime, directory)
