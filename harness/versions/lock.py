"""Writes the lock file of a release: `python -m highwater.harness.versions.lock VERSION`.

Resolves its dependencies, downloads every jar once, keeps it, and pins what came by our own
SHA-256 (the repository itself has none for most releases).
"""

from __future__ import annotations

import hashlib
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path

from highwater.harness.errors import InfrastructureError, UsageError
from highwater.harness.versions.catalogue import Row, rows
from highwater.harness.versions.jars import (
    DOWNLOADS_AT_ONCE,
    LockedJar,
    cached_path,
    download,
    maven,
)

LOCKS = Path(__file__).parent / "locks"
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
    """What a jar is, as it comes now; it is kept, for whoever plays on the release next."""
    path = download(coordinate, staging)
    content = path.read_bytes()
    jar = LockedJar(hashlib.sha256(content).hexdigest(), len(content), coordinate)
    target = cached_path(jar)
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=target.parent, delete=False) as copy:
        copy.write(content)
    Path(copy.name).replace(target)
    return jar


def locked_together(row: Row, staging: Path) -> list[LockedJar]:
    """Every jar of a release; raises InfrastructureError for what cannot be resolved or kept."""
    try:
        with ThreadPoolExecutor(DOWNLOADS_AT_ONCE) as pool:
            return list(pool.map(lambda name: locked(name, staging), coordinates(row, staging)))
    except (OSError, RuntimeError) as error:
        raise InfrastructureError(f"Kafka {row.version} cannot be locked: {error}") from error


def write_lock(path: Path, version: str, jars: Sequence[LockedJar], *comments: str) -> None:
    """The file, complete at once: another process may look at the same time."""
    lines = [f"{jar.sha256} {jar.size_bytes} {jar.coordinate}\n" for jar in jars]
    head = HEADER.format(version=version) + "".join(f"# {each}\n" for each in comments)
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial")
    partial.write_text(head + "".join(lines), encoding="utf-8")
    shutil.move(partial, path)


def built_on(row: Row, jars: Sequence[LockedJar]) -> date:
    """The day of the newest file in the release's own jar."""
    (own,) = (jar for jar in jars if jar.coordinate == row.coordinate)
    with zipfile.ZipFile(cached_path(own)) as jar:
        return date(*max(each.date_time for each in jar.infolist())[:3])


def lock(version: str) -> Path:
    """Resolve and pin one version; raises UsageError when the catalogue has no such row."""
    row = next((row for row in rows() if row.version == version), None)
    if row is None:
        raise UsageError(f"no release {version!r} in catalogue.toml; add it first")
    with tempfile.TemporaryDirectory() as staging:
        jars = locked_together(row, Path(staging))
    path = LOCKS / f"{version}.lock"
    write_lock(path, version, jars)
    return path


if __name__ == "__main__":
    for each in sys.argv[1:]:
        print(lock(each))
