"""Where Ryuk's image is there, it works as Testcontainers means it to: beside our own watchdog."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import docker
import pytest
from docker.models.containers import Container
from tests.docker.test_leftovers import ours, processes

from highwater.compose.images import base_image
from highwater.compose.labels import SESSION
from highwater.compose.sweep import remove_orphans
from highwater.harness.wait import wait_until

HERE = Path(__file__).parent


@pytest.fixture
def image(client: docker.DockerClient, tmp_path: Path) -> Iterator[str]:
    """Not Ryuk, which cannot be fetched everywhere: a program that speaks its protocol."""
    name = "highwater-test/ryuk:1"
    (tmp_path / "ryuk.pl").write_text((HERE / "ryuk.pl").read_text())
    lines = [f"FROM {base_image(client)}", "COPY ryuk.pl /", 'ENTRYPOINT ["perl", "/ryuk.pl"]']
    (tmp_path / "Dockerfile").write_text("\n".join(lines))
    client.images.build(path=str(tmp_path), tag=name, rm=True)
    yield name
    client.images.remove(name, force=True)


@dataclass(frozen=True)
class Standing:
    """A cluster with a reaper beside it."""

    process: subprocess.Popen[str]
    session: str
    before: set[str]


@pytest.fixture
def standing(image: str, client: docker.DockerClient) -> Iterator[Standing]:
    before = ours(client)
    with subprocess.Popen(
        [sys.executable, "-m", "highwater.cli", "up", "4.1.1", "--brokers=1", "--backend=docker"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**os.environ, "RYUK_CONTAINER_IMAGE": image},
        start_new_session=True,
        text=True,
    ) as process:
        try:
            yield Standing(process, _session(client, before), before)
        finally:
            process.terminate()


def _session(client: docker.DockerClient, before: set[str]) -> str:
    wait_until(lambda: len(ours(client) - before) >= 2, "a broker and a network", 120)
    wait_until(
        lambda: any(b"filter label=" in each.logs() for each in _reapers(client)),
        "a reaper that has been told what to remove",
        60,
    )
    names = ours(client) - before
    broker = next(
        each for each in client.containers.list(ignore_removed=True) if each.name in names
    )
    return str(broker.labels[SESSION])


def _reapers(client: docker.DockerClient) -> list[Container]:
    named = {"name": "testcontainers-ryuk"}
    return list(client.containers.list(filters=named, ignore_removed=True))


def test_a_cluster_ends_with_its_harness_and_so_does_the_reaper(
    standing: Standing, client: docker.DockerClient
) -> None:
    standing.process.terminate()
    said, _ = standing.process.communicate(timeout=90)

    assert "Traceback" not in said
    assert ours(client) <= standing.before
    wait_until(lambda: not _reapers(client), "the reaper to be gone", 30)


def test_a_reaper_removes_the_containers_that_a_killed_harness_and_watchdog_have_left(
    standing: Standing, client: docker.DockerClient
) -> None:
    (watchdog,) = processes(f"highwater.compose.watchdog\0{standing.session}")
    for pid in (watchdog, standing.process.pid):
        os.kill(pid, signal.SIGKILL)

    label = {"label": f"{SESSION}={standing.session}"}
    wait_until(
        lambda: not client.containers.list(all=True, filters=label, ignore_removed=True), "Ryuk", 60
    )
    assert remove_orphans(client)  # a network has none of Testcontainers' labels
    assert ours(client) <= standing.before
