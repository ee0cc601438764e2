"""A daemon that goes away in the middle of a run takes nothing of the cleaning up with it."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import docker
import pytest

from highwater.compose.labels import SESSION
from highwater.harness.wait import wait_until

SOCKET = Path("/var/run/docker.sock")


class Relay:
    """A socket in front of the daemon's, which can be taken away and put back."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._sockets: list[socket.socket] = []

    def open(self) -> None:
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(self.path))
        self._listener.listen()
        threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def close(self) -> None:
        """Whoever is connected is cut off, and nobody connects."""
        self.path.unlink(missing_ok=True)
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for each in self._sockets:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()
        self._sockets.clear()

    def _accept(self, listener: socket.socket) -> None:
        with suppress(OSError):
            while True:
                client, _ = listener.accept()
                daemon = socket.socket(socket.AF_UNIX)
                daemon.connect(str(SOCKET))
                self._sockets += [client, daemon]
                for source, target in ((client, daemon), (daemon, client)):
                    threading.Thread(target=_pump, args=(source, target), daemon=True).start()


def _pump(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65_536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)


@pytest.fixture
def relay() -> Iterator[Relay]:
    place = Path(f"/tmp/highwater-relay-{os.getpid()}")  # short: a socket's path may have 107 bytes
    place.mkdir()
    made = Relay(place / "docker.sock")
    made.open()
    yield made
    made.close()
    shutil.rmtree(place)


def _ours(client: docker.DockerClient) -> set[str]:
    chosen = {"label": SESSION}
    everything = [*client.containers.list(all=True, filters=chosen, ignore_removed=True)]
    return {each.name for each in [*everything, *client.networks.list(filters=chosen)]}


def _has_ended(identity: Path) -> bool:
    return json.loads(identity.read_text())["played"] is not None


@pytest.mark.on_demand
@pytest.mark.skipif(not SOCKET.exists(), reason="Docker does not listen on its usual socket")
def test_a_daemon_that_is_gone_for_a_while_does_not_keep_what_we_made(
    relay: Relay, tmp_path: Path, client: docker.DockerClient
) -> None:
    before = _ours(client)
    words = ["run", "kip101-loss-strict", "-k", "0.10.2.2", "-n", "9", "--backend", "docker"]
    running = subprocess.Popen(
        [sys.executable, "-m", "highwater.cli", *words, "--out", str(tmp_path / "out")],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "DOCKER_HOST": f"unix://{relay.path}"},
    )
    runs = tmp_path / "out" / "runs"
    wait_until(lambda: any(runs.rglob("run.json")), "a trial to be played", 120)

    relay.close()
    try:
        wait_until(lambda: all(map(_has_ended, runs.rglob("run.json"))), "the trial to end", 90)
        assert _ours(client) > before
    finally:
        relay.open()
        said, _ = running.communicate(timeout=300)

    wait_until(lambda: _ours(client) <= before, "containers and network to be gone", 120)
    assert "Traceback" not in said, said
    assert running.returncode in {0, 3}, said
