"""What tests on clusters share."""

from __future__ import annotations

import os
import re
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

import docker
import pytest

from highwater.compose.images import engine
from highwater.harness.errors import InfrastructureError
from highwater.harness.foreign.programs import command_of
from highwater.harness.kafka_cluster import KafkaCluster
from highwater.harness.play import Play
from highwater.harness.record.writer import RunRecord
from highwater.harness.versions.catalogue import find_kafka


@contextmanager
def required_engine() -> Generator[docker.DockerClient]:
    """Docker; without it the test is skipped, or fails where HIGHWATER_REQUIRE names it."""
    try:
        with engine() as opened:
            yield opened
    except InfrastructureError as error:
        if "docker" in os.environ.get("HIGHWATER_REQUIRE", "").split(","):
            pytest.fail(f"HIGHWATER_REQUIRE names docker, and {error}")
        pytest.skip(str(error))


def require_client(client: str) -> None:
    """Its adapter is built; where that cannot be the test is skipped, or fails where
    HIGHWATER_REQUIRE names adapters.
    """
    try:
        command_of(client, find_kafka("4.1.1"))
    except InfrastructureError as error:
        if "adapters" in os.environ.get("HIGHWATER_REQUIRE", "").split(","):
            pytest.fail(f"HIGHWATER_REQUIRE names adapters, and {error}")
        pytest.skip(str(error))


@contextmanager
def play_on(
    cluster: KafkaCluster, test: str, directory: Path, settings: Mapping[str, str]
) -> Generator[Play]:
    """A topic of three replicas, named after the test; whatever is done to it heals."""
    name = re.sub(r"[^\w.-]", "-", test)[-100:]
    with (
        RunRecord(directory, {"scenario": "test"}) as record,
        Play(cluster, record, name) as opened,
    ):
        opened.topic(settings=settings)
        try:
            yield opened
        finally:
            opened.heal()
