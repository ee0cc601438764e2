"""A Maven repository on this machine, with a few jars of a few bytes."""

from __future__ import annotations

import functools
import hashlib
import threading
from collections.abc import Callable, Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from highwater.harness.versions import jars
from highwater.harness.versions.jars import LockedJar


class Meeting:
    """Answers to requests for a jar wait until this many are there; 1: nobody waits."""

    barrier = threading.Barrier(1)


class _Mirror(SimpleHTTPRequestHandler):
    def do_GET(self) -> None:  # as http.server calls it
        if self.path.endswith(".jar"):
            Meeting.barrier.wait(30)
        super().do_GET()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as it is there
        pass


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

    handler = functools.partial(_Mirror, directory=str(root))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        serving = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        serving.start()
        monkeypatch.setenv("HIGHWATER_MAVEN_MIRROR", f"http://127.0.0.1:{server.server_port}/")
        yield put
        server.shutdown()
        serving.join()


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
