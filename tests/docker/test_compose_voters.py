"""A compose project of three voters is borrowed with all of them, and given back whole."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import docker
import pytest
from tests.docker.test_compose import _command, _compose

from highwater.backends import DOCKER, Backend, make_site
from highwater.compose.attached import AttachedSite, project_of
from highwater.compose.file import Topology, compose_file
from highwater.compose.restoration import is_restored
from highwater.faults.kill_metadata import KillMetadata
from highwater.harness.cluster import ClusterSpec
from highwater.harness.creation import create_topic
from highwater.harness.jvm.runtime import runtime
from highwater.harness.kafka_cluster import KafkaCluster
from highwater.harness.versions.catalogue import find_kafka
from highwater.harness.wait import wait_until

ELECTION_TIMEOUT_S = 60.0
PROJECTS = [
    pytest.param(
        kafka, marks=pytest.mark.on_demand(together=f"tests/docker/test_compose_voters.py[{kafka}]")
    )
    for kafka in ("4.1.1", "0.11.0.3")
]


@pytest.fixture(scope="module", params=PROJECTS)
def topology(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Topology]:
    """A project that runs; not where the examples would."""
    kafka, place = find_kafka(request.param), tmp_path_factory.mktemp("compose")
    described = Topology(kafka=kafka, voters=3, first_port=29_092, prefix="10.199.93")
    (place / "compose.yaml").write_text(compose_file(described), encoding="utf-8")
    make_site(Backend(DOCKER), runtime(kafka), place / "unused", lambda _text: None)  # the image
    _compose(place, "up", "--wait")
    yield described
    _compose(place, "down", "--timeout", "5")


def test_the_quorum_of_a_borrowed_cluster_survives_its_leader(
    topology: Topology, client: docker.DockerClient
) -> None:
    project = topology.name
    assert project_of(project).voters == 3
    spec = ClusterSpec(voters=3, gated_metadata=True)

    with KafkaCluster(AttachedSite(runtime(topology.kafka), project), spec) as cluster:
        led = cluster.nodes.quorum_leader()
        with KillMetadata().inject(cluster) as dead:
            what = f"another voter than {led} to lead"
            wait_until(lambda: cluster.nodes.quorum_leader() != led, what, ELECTION_TIMEOUT_S)
            create_topic(cluster, "orders", [[1, 2, 3]], {})
        wait_until(lambda: cluster.nodes.running(led), f"voter {led} to run again")

    assert dead.proof["node"] == led
    assert is_restored(client, project)


def test_a_scenario_plays_on_as_many_voters_as_there_are(
    topology: Topology, tmp_path: Path, client: docker.DockerClient
) -> None:
    done = subprocess.run(
        _command(topology.name, tmp_path / "out", 1),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env=os.environ.copy(),
    )

    assert done.returncode == 0, done.stdout + done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    assert [cell["clean"] for cell in told["cells"]] == [1]
    identity = json.loads(next((tmp_path / "out").rglob("run.json")).read_text())
    assert (identity["voters"], identity["project"]) == (3, topology.name)
    assert is_restored(client, topology.name)
