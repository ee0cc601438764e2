"""A Maven repository on this machine, with a few jars of a few bytes."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.serving import Quiet, serve

from highwater.harness.versions import jars
from highwater.harness.versions.jars import LockedJar


class Meeting:
    """Answers to requests for a jar wait until this many are there; 1: nobody waits."""

    barrier = threading.Barrier(1)


class _Mirror(Quiet):
    def do_GET(self) -> None:  # noqa: N802 - as http.server calls it
        if self.path.endswith(".jar"):
            Meeting.barrier.wait(30)
        super().do_GET()


@pytest.fixture
def publish(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[str], LockedJar]]:
    """Puts a jar into a repository that HIGHWATER_MAVEN_MIRROR names; returns its lock."""
    root = tmp_path / "repository"
    root.mkdir()

    def put(name: str) -> LockedJar:
        content = name.encode() * 1000
        folder = root / "org" / "example" / name / "1.0"
        folder.mkdir(parents=True)
        (folder / f"{name}-1.0.jar").write_bytes(content)
        digest = hashlib.sha256(content).hexdigest()
        return LockedJar(digest, len(content), f"org.example:{name}:1.0")

    with serve(root, _Mirror) as address:
        monkeypatch.setenv("HIGHWATER_MAVEN_MIRROR", address)
        yield put


@pytest.fixture
def meet(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Makes the mirror answer only when so many ask for a jar at the same time."""
    return lambda count: monkeypatch.setattr(Meeting, "barrier", threading.Barrier(count))


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache of one's own."""
    monkeypatch.setenv("HIGHWATER_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def lock(monkeypatch: pytest.MonkeyPatch) -> Callable[[list[LockedJar]], None]:
    """Makes these jars the lock of every version."""

    def pin(locked: list[LockedJar]) -> None:
        monkeypatch.setattr(jars, "locked_jars", lambda _version: locked)

    return pin
