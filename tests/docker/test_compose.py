"""Our compose files run, and a cluster of theirs can be borrowed and is given back."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import docker
import pytest
from tests.cluster.operating import play_there

from highwater.backends import DOCKER, Backend, make_site
from highwater.compose import file
from highwater.compose.labels import PROJECT
from highwater.compose.restoration import is_restored
from highwater.harness.jvm.runtime import runtime
from highwater.harness.versions.catalogue import find_kafka
from highwater.harness.wait import wait_until

EXAMPLES = sorted((Path(file.__file__).parent / "examples").glob("*.yaml"))

TESTS = """
import pytest
from highwater.faults.kill import Kill


@pytest.mark.highwater(claims=("lost-write", "unprocessed"), kafka=">=0.11")
@pytest.mark.parametrize("partitions", [1, 2])
def test_orders_are_billed_without_their_leader(play, partitions):
    orders = play.topic("orders", partitions=partitions)
    with play.load(orders, rate_per_s=100) as load, play.group("billing", orders) as billing:
        load.await_acked(100)
        play.inject(Kill(orders[0].leader))
        load.await_acked(200)
        billing.await_handed(200)
"""


def _compose(place: Path, *words: str) -> str:
    done = subprocess.run(
        ["docker", "compose", *words],
        cwd=place,
        capture_output=True,
        text=True,
        check=False,
        timeout=180,
        env=os.environ.copy(),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


BY_TURNS = [
    pytest.param(path, id=path.stem, marks=[pytest.mark.on_demand] * ("0.11" in path.stem))
    for path in EXAMPLES
]


@pytest.fixture(params=BY_TURNS)
def project(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """An example as somebody would start it; gives the project's name."""
    place: Path = tmp_path_factory.mktemp("compose")
    shutil.copy(request.param, place / "compose.yaml")
    kafka = find_kafka(request.param.stem.removeprefix("kafka-"))
    make_site(Backend(DOCKER), runtime(kafka), place / "unused", lambda _text: None)  # the image
    _compose(place, "up", "--wait")
    yield f"highwater-{kafka.name.replace('.', '-')}"
    _compose(place, "down", "--timeout", "5")


def _command(project: str, out: Path, trials: int) -> list[str]:
    words = ["run", "kip101-divergence", "--attach", f"compose:{project}", "--json"]
    asked = ["--i-own-this-cluster", "-n", str(trials), "--reruns", "2", "-o", str(out)]
    return [sys.executable, "-m", "highwater.cli", *words, *asked]


def test_a_scenario_plays_on_a_borrowed_cluster_which_is_given_back(
    project: str, tmp_path: Path, client: docker.DockerClient
) -> None:
    command = _command(project, tmp_path / "out", 1)
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=300, env=os.environ.copy()
    )

    assert done.returncode == 0, done.stdout + done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    assert [cell["clean"] for cell in told["cells"]] == [1]
    identity = json.loads(next((tmp_path / "out").rglob("run.json")).read_text())
    assert identity["project"] == project
    assert identity["image"].startswith("highwater/kafka:")
    assert is_restored(client, project)


@pytest.mark.on_demand
def test_chaos_tests_play_on_a_borrowed_cluster_which_is_given_back(
    project: str, tmp_path: Path, client: docker.DockerClient
) -> None:
    given = "--i-own-this-cluster", "--highwater-keep"
    done = play_there(f"compose:{project}", tmp_path, TESTS, *given, kafka=None)

    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 passed" in done.stdout
    told = [json.loads(each.read_text()) for each in tmp_path.rglob("run.json")]
    assert {each["project"] for each in told} == {project}
    assert len({each["topic"] for each in told}) == 2
    assert is_restored(client, project)


@pytest.mark.on_demand
@pytest.mark.parametrize("project", EXAMPLES[-1:], ids=["kraft"], indirect=True)
def test_a_harness_that_is_killed_gives_the_cluster_back_too(
    project: str, tmp_path: Path, client: docker.DockerClient
) -> None:
    chosen = {"label": f"{PROJECT}={project}"}
    ids = {each.id for each in client.containers.list(filters=chosen)}
    running = subprocess.Popen(
        _command(project, tmp_path / "out", 50),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=os.environ.copy(),
    )
    runs = tmp_path / "out" / "runs"
    wait_until(lambda: any(runs.rglob("run.json")), "a trial to be played", 120)
    assert not is_restored(client, project)

    os.kill(running.pid, signal.SIGKILL)
    running.wait()

    wait_until(lambda: is_restored(client, project), "the cluster to be as it was", 60)
    assert {each.id for each in client.containers.list(filters=chosen)} == ids


def test_what_is_no_project_of_ours_is_refused_at_once(tmp_path: Path) -> None:
    command = _command("nobody", tmp_path / "out", 1)
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=60, env=os.environ.copy()
    )

    assert done.returncode == 2
    assert "no compose project 'nobody'" in done.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.on_demand
def test_a_published_image_with_its_jars_elsewhere_plays_as_well(
    tmp_path: Path, published: str
) -> None:
    words = ["run", "kip101-divergence", "-k", "4.1.1", "--backend", "docker", "--json"]
    words += ["--reruns", "2"]
    done = subprocess.run(
        [sys.executable, "-m", "highwater.cli", *words, "--image", published, "-o", tmp_path / "o"],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env=os.environ.copy(),
    )

    assert done.returncode == 0, done.stdout + done.stderr
    identity = json.loads(next((tmp_path / "o").rglob("run.json")).read_text())
    assert identity["image"] == published
    assert identity["java"].startswith("openjdk version")
    assert "jars" not in identity
