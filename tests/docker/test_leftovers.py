"""Whatever ends the harness, no container, network, process or port stays."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import docker
import pytest
from docker.models.containers import Container

from highwater.compose.images import OWN_BASE, base_image
from highwater.compose.labels import OWNER, SESSION, owned_by_us
from highwater.compose.sweep import remove_orphans
from highwater.harness.wait import wait_until

KAFKA = "0.10.2.2"
ENDINGS = [signal.SIGINT, signal.SIGTERM, signal.SIGKILL]


def ours(client: docker.DockerClient) -> set[str]:
    """Names of containers and networks that carry our label."""
    chosen = {"label": SESSION}
    found = [
        *client.containers.list(all=True, filters=chosen, ignore_removed=True),
        *client.networks.list(filters=chosen),
    ]
    return {each.name for each in found}


def _kernel() -> tuple[str, ...]:
    """Firewall rules and queueing disciplines of this machine, without their counters."""
    told = []
    for command in (["iptables-save"], ["tc", "qdisc", "show"]):
        if shutil.which(command[0]):
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            told += [line for line in done.stdout.splitlines() if not line.startswith(("#", ":"))]
    return tuple(sorted(told))


def _start(out: Path) -> subprocess.Popen[str]:
    command = ["run", "kip101-divergence", "-k", KAFKA, "-n", "3", "--backend", "docker"]
    return subprocess.Popen(
        [sys.executable, "-m", "highwater.cli", *command, "--out", str(out)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def processes(text: str) -> dict[int, str]:
    """Command lines that have this in them, by process id."""
    lines = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                lines[int(entry.name)] = (entry / "cmdline").read_text()
            except OSError:
                continue
    return {pid: line for pid, line in lines.items() if text in line}


def _its_processes(pid: int) -> dict[int, str]:
    """Those that name the workshop of the harness with this process id."""
    return processes(f"highwater-{pid}-")


@pytest.mark.parametrize("number", ENDINGS)
def test_nothing_outlives_the_harness(
    number: signal.Signals, tmp_path: Path, client: docker.DockerClient
) -> None:
    before, rules = ours(client), _kernel()
    running = _start(tmp_path / "out")
    wait_until(lambda: len(ours(client) - before) >= 5, "four containers and a network", 120)

    os.kill(running.pid, number)
    said, _ = running.communicate(timeout=90)

    wait_until(lambda: ours(client) <= before, "containers and network to be gone", 60)
    wait_until(lambda: not _its_processes(running.pid), "processes to be gone", 20)
    wait_until(lambda: _kernel() == rules, "firewall rules and qdiscs to be as before", 20)
    assert "Traceback" not in said
    assert running.returncode == (-signal.SIGKILL if number is signal.SIGKILL else 3), said


@pytest.mark.on_demand
@pytest.mark.parametrize("seed", range(10))
def test_five_runs_ended_at_random_moments_leave_nothing(
    seed: int, tmp_path: Path, client: docker.DockerClient
) -> None:
    before, rules, chance = ours(client), _kernel(), random.Random(seed)

    for number in range(5):
        _end_at_random(tmp_path / str(number), chance)

        wait_until(lambda: ours(client) <= before, f"run {number} to leave nothing", 60)
        wait_until(lambda: _kernel() == rules, f"run {number} to leave no rule", 20)


def _end_at_random(out: Path, chance: random.Random) -> None:
    running = _start(out)
    moment = time.monotonic() + chance.uniform(0.5, 25)
    wait_until(lambda: time.monotonic() > moment or running.poll() is not None, "a moment", 30)
    if running.poll() is None:
        os.kill(running.pid, chance.choice(ENDINGS))
    running.communicate(timeout=90)
    wait_until(lambda: not _its_processes(running.pid), "its processes to be gone", 20)


@pytest.fixture
def container(request: pytest.FixtureRequest, client: docker.DockerClient) -> Iterator[Container]:
    base = base_image(client)
    made = client.containers.create(base, ["sleep", "600"], labels=request.param)
    yield made
    if made.id in {each.id for each in client.containers.list(all=True, ignore_removed=True)}:
        made.remove(force=True)


ORPHAN = {SESSION: "dead", OWNER: "1 1 of-another-boot"}


@pytest.mark.parametrize("container", [ORPHAN], indirect=True)
def test_what_a_dead_run_has_left_is_swept(
    container: Container, client: docker.DockerClient
) -> None:
    assert container.name in remove_orphans(client)


@pytest.mark.parametrize("container", [owned_by_us("alive"), {}, {OWNER: "1 1 x"}], indirect=True)
def test_what_has_a_living_owner_or_is_not_ours_is_left_alone(
    container: Container, client: docker.DockerClient
) -> None:
    removed = remove_orphans(client)

    container.reload()
    assert container.name not in removed


def test_there_is_a_base_image(client: docker.DockerClient) -> None:
    assert base_image(client) in {OWN_BASE, "eclipse-temurin:17-jre"}
