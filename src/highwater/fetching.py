"""`fetch`: brings jars here ahead of time, with progress."""

from __future__ import annotations

from collections.abc import Sequence

from highwater import console
from highwater.adopting import kafkas_named
from highwater.harness.archive import ensure_archive
from highwater.harness.jvm.runtime import Runtime, runtime
from highwater.harness.versions.cache import cache_dir
from highwater.harness.versions.catalogue import Kafka
from highwater.harness.versions.jars import is_cached, locked_jars, message_jars


def runtime_with_progress(kafka: Kafka, *, offline: bool) -> Runtime:
    """Java and jars of one Kafka, downloaded with a bar when some are missing."""
    locked = [] if kafka.unpacked else locked_jars(kafka.version)
    missing = [jar for jar in locked if not is_cached(jar)]
    if not missing or offline:
        return runtime(kafka, offline=offline)
    total_bytes = sum(jar.size_bytes for jar in missing)
    with console.DownloadProgress(total_bytes, f"Kafka {kafka.version}") as bar:
        return runtime(kafka, progress=bar.here)


def fetch(names: Sequence[str], *, images: bool, as_json: bool) -> None:
    """Fetch jars, prepare class archives and build images if wanted.

    Raises UsageError for a name nobody knows, InfrastructureError where Docker does not answer.
    """
    rows = []
    message_jars()
    for kafka in kafkas_named(names):
        found = runtime_with_progress(kafka, offline=False)
        with console.err.status(f"{kafka.name}: class archive"):
            archive = ensure_archive(found)
        size_bytes = sum(jar.stat().st_size for jar in found.jars)
        image = _build(found) if images else None
        rows.append(
            {
                "kafka": kafka.name,
                "jars": len(found.jars),
                "bytes": size_bytes,
                "archive_bytes": archive.stat().st_size,
                "image": image,
            }
        )
        if not as_json:
            mib = size_bytes / 2**20
            console.out.print(f"{kafka.name}: {len(found.jars)} jars, {mib:.0f} MiB, verified")
            if image:
                console.out.print(f"{kafka.name}: image {image}", soft_wrap=True)
    if as_json:
        console.print_json({"cache": str(cache_dir()), "kafkas": rows})


def image_base() -> None:
    """Build the base image; raises UsageError where debootstrap or root is missing."""
    from highwater.compose.base import build_base  # noqa: PLC0415 - loads Docker's client

    with console.err.status("a base image") as status:
        tag = build_base(status.update)
    console.out.print(f"{tag} is there; images of Kafkas are built on it from now on")


def _build(found: Runtime) -> str:
    from highwater.compose.images import ensure_image  # noqa: PLC0415 - loads Docker's client

    with console.err.status(f"{found.kafka.name}: image") as status:
        return ensure_image(found.kafka, found.jars, announce=status.update).name
