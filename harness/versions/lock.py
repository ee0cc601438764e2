"""Writes the lock file of a catalogue row: `python -m highwater.harness.versions.lock VERSION`.

Resolves the row's dependencies, downloads every jar once, and pins what came by our own SHA-256
(the repository itself has none for most releases).
"""

from __future__ import annotations

import hashlib
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from highwater.harness.errors import UsageError
from highwater.harness.versions.catalogue import Row, rows
from highwater.harness.versions.jars import DOWNLOADS_AT_ONCE, LockedJar, download, maven

HEADER = (
    "# Kafka {version}: sha256, size in bytes, Maven coordinate. Written by versions/lock.py.\n"
)


def coordinates(row: Row, staging: Path) -> list[str]:
    """Every jar that the row needs at run time, as group:artifact:version."""
    context = maven(staging)
    found: dict[str, str] = {}
    for wanted in (row.coordinate, *row.add):
        inputs, others = context.resolver.resolve([context.create_dependency(wanted)])
        for dependency in (*inputs, *others):
            if dependency.scope not in {"test", "provided"} and not dependency.optional:
                name = f"{dependency.groupId}:{dependency.artifactId}"
                found.setdefault(name, dependency.version)
    found.update({name: version for name, version in row.replace.items() if name in found})
    return sorted(f"{name}:{version}" for name, version in found.items())


def locked(coordinate: str, staging: Path) -> LockedJar:
    content = download(coordinate, staging).read_bytes()
    return LockedJar(hashlib.sha256(content).hexdigest(), len(content), coordinate)


def write_lock(version: str) -> Path:
    """Resolve and pin one version; raises UsageError when the catalogue has no such row."""
    row = next((row for row in rows() if row.version == version), None)
    if row is None:
        raise UsageError(f"no row {version!r} in catalogue.toml; add it first")
    with (
        tempfile.TemporaryDirectory() as folder,
        ThreadPoolExecutor(DOWNLOADS_AT_ONCE) as pool,
    ):
        staging = Path(folder)
        jars = list(pool.map(lambda name: locked(name, staging), coordinates(row, staging)))
    path = Path(__file__).parent / "locks" / f"{version}.lock"
    lines = [f"{jar.sha256} {jar.size_bytes} {jar.coordinate}\n" for jar in jars]
    path.write_text(HEADER.format(version=version) + "".join(lines), encoding="utf-8")
    return path


if __name__ == "__main__":
    for each in sys.argv[1:]:
        print(write_lock(each))
