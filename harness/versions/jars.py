"""Gets the jars of a Kafka: locked, downloaded in parallel, verified, cached.

A jar is cached under its own hash, and arrives there by one rename, so two processes that fetch
at the same time do each other no harm. The download itself is jgo's, from the repository that
jgo knows by default or from the mirror named by HIGHWATER_MAVEN_MIRROR.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from highwater.harness.errors import InfrastructureError, UsageError
from highwater.harness.versions.cache import adopted_lock, cache_dir
from highwater.harness.versions.catalogue import Kafka, every_kafka, find_kafka

DOWNLOADS_AT_ONCE = 8
TIMEOUT_S = 60

Progress = Callable[[str, int], None]  # the file's name, and how many of its bytes are now here


@dataclass(frozen=True, slots=True)
class LockedJar:
    sha256: str
    size_bytes: int
    coordinate: str  # group:artifact:version

    @property
    def filename(self) -> str:
        _, artifact, version = self.coordinate.split(":")
        return f"{artifact}-{version}.jar"


def locked_jars(version: str) -> list[LockedJar]:
    """The lock of one version, ours or of this machine; raises UsageError when it has none."""
    lock: Traversable = resources.files(__package__).joinpath("locks", f"{version}.lock")
    if not lock.is_file():
        lock = adopted_lock(version)
    if not lock.is_file():
        raise UsageError(
            f"Kafka {version} has no lock file; write it with "
            f"python -m highwater.harness.versions.lock {version}"
        )
    return jars_in(lock.read_text(encoding="utf-8"))


def jars_in(lock: str) -> list[LockedJar]:
    """Those that the text of a lock file names."""
    fields = [line.split() for line in lock.splitlines() if line and not line.startswith("#")]
    return [LockedJar(sha256, int(size), coordinate) for sha256, size, coordinate in fields]


def class_path(
    kafka: Kafka, *, offline: bool = False, progress: Progress = lambda _name, _bytes: None
) -> list[Path]:
    """Every jar of a Kafka, present and verified, in a fixed order.

    Raises InfrastructureError when one is missing and cannot be had (offline, no network, disk
    full) or does not match its lock.
    """
    if kafka.unpacked is not None:
        return sorted((kafka.unpacked / "libs").glob("*.jar"))
    jars = sorted(locked_jars(kafka.version), key=lambda jar: jar.filename)
    missing = [jar for jar in jars if not is_cached(jar)]
    if missing and offline:
        raise InfrastructureError(
            f"--offline, and {len(missing)} of the {len(jars)} jars of Kafka {kafka.version} are "
            f"not in {cache_dir()}; fetch them first: highwater fetch {kafka.version}"
        )
    if missing:
        _download(missing, progress)
    return [cached_path(jar) for jar in jars]


def jars_named(kafka: Kafka, artifacts: Sequence[str]) -> list[Path]:
    """Those of a Kafka that are of these artifacts, present and verified; raises as above."""
    if kafka.unpacked is not None:
        found = (kafka.unpacked / "libs").glob("*.jar")
        return sorted(jar for jar in found if jar.name.rpartition("-")[0] in artifacts)
    locked = locked_jars(kafka.version)
    jars = [jar for jar in locked if jar.coordinate.split(":")[1] in artifacts]
    return present(jars)


def present(jars: Sequence[LockedJar]) -> list[Path]:
    """These, present and verified; raises as above."""
    missing = [jar for jar in jars if not is_cached(jar)]
    if missing:
        _download(missing, lambda _name, _bytes: None)
    return [cached_path(jar) for jar in jars]


def message_jars() -> list[Path]:
    """Those that describe every version of Kafka's messages; raises as above.

    4.0 has given up old versions (KIP-896), so the last release before it has these.
    """
    newest = every_kafka()[-1]
    return [jars_named(each, ["kafka-clients"])[0] for each in (find_kafka("3.9.1"), newest)]


def cached_path(jar: LockedJar) -> Path:
    return cache_dir() / "jars" / jar.sha256[:16] / jar.filename


def is_cached(jar: LockedJar) -> bool:
    """Whether a jar is here in full: it was verified on arrival, a crash may have emptied it."""
    path = cached_path(jar)
    return path.is_file() and path.stat().st_size == jar.size_bytes


def _download(jars: Sequence[LockedJar], progress: Progress) -> None:
    try:
        cache_dir().mkdir(parents=True, exist_ok=True)
        with (
            tempfile.TemporaryDirectory(dir=cache_dir(), prefix=".fetch-") as staging,
            ThreadPoolExecutor(DOWNLOADS_AT_ONCE) as pool,
        ):
            fetched = [pool.submit(_fetch, jar, Path(staging), progress) for jar in jars]
            try:
                for each in fetched:
                    each.result()
            finally:  # after a failure the other downloads need not even begin
                pool.shutdown(cancel_futures=True)
    except OSError as error:
        if type(error).__module__.startswith("requests"):
            raise InfrastructureError(
                f"cannot download Kafka's jars: {_root_cause(error)}; no network? A mirror can be "
                "named by HIGHWATER_MAVEN_MIRROR, or take an unpacked Kafka: --kafka-dir PATH"
            ) from error
        raise InfrastructureError(f"cannot write jars to {cache_dir()}: {error}") from error


def _root_cause(error: BaseException) -> str:
    while error.__cause__ or error.__context__:
        error = error.__cause__ or error.__context__ or error
    return f"{type(error).__name__}: {error}"


def _fetch(jar: LockedJar, staging: Path, progress: Progress) -> None:
    path = download(jar.coordinate, staging)
    seen = hashlib.sha256(path.read_bytes()).hexdigest()
    if seen != jar.sha256:
        raise InfrastructureError(
            f"checksum mismatch for {jar.coordinate}: expected sha256 {jar.sha256}, saw {seen}; "
            "it was not kept. Is a mirror or proxy changing files?"
        )
    target = cached_path(jar)
    target.parent.mkdir(parents=True, exist_ok=True)
    path.replace(target)
    progress(jar.filename, jar.size_bytes)


def maven(staging: Path) -> Any:
    """A Maven context that downloads into `staging`, from the default repository or a mirror."""
    from jgo.maven import MavenContext  # noqa: PLC0415 - slow to import, and rarely needed

    mirror = os.environ.get("HIGHWATER_MAVEN_MIRROR")
    remotes = {"mirror": mirror.rstrip("/")} if mirror else None
    return MavenContext(repo_cache=staging, remote_repos=remotes, timeout=TIMEOUT_S)


def download(coordinate: str, staging: Path) -> Path:
    """Download one jar into `staging`, unverified."""
    try:
        path: Path = maven(staging).create_dependency(coordinate).artifact.resolve()
    except RuntimeError as error:
        raise InfrastructureError(f"{coordinate} is in no configured repository") from error
    return path
