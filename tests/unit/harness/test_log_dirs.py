"""Brokers with two log directories: where they are, and in which one a replica lies."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from highwater.harness.cluster import ClusterSpec
from highwater.harness.log_dirs import log_dirs, replica_dir
from highwater.harness.model import TopicPartition

WHERE = TopicPartition("orders", 3)


def test_the_second_stands_beside_the_first() -> None:
    first = Path("/run/data-1")

    assert log_dirs(first, two=False) == (first,)
    assert log_dirs(first, two=True) == (first, Path("/run/data-1-second"))


def test_a_replica_is_in_the_first_one_unless_it_lies_in_the_second(tmp_path: Path) -> None:
    cluster: Any = SimpleNamespace(
        files=SimpleNamespace(log_dir=lambda broker: tmp_path / f"data-{broker}")
    )

    assert replica_dir(cluster, 1, WHERE) == tmp_path / "data-1" / "orders-3"

    moved = tmp_path / "data-1-second" / "orders-3"
    moved.mkdir(parents=True)

    assert replica_dir(cluster, 1, WHERE) == moved
    assert replica_dir(cluster, 2, WHERE) == tmp_path / "data-2" / "orders-3"


def test_clusters_with_another_number_of_log_directories_are_not_shared() -> None:
    assert ClusterSpec(two_log_dirs=True).key == ClusterSpec(two_log_dirs=True).key
    assert ClusterSpec(two_log_dirs=True).key != ClusterSpec().key


@pytest.mark.parametrize("lost", ["data-1", "data-1-second"])
def test_of_two_a_broker_has_the_one_that_was_written_last(tmp_path: Path, lost: str) -> None:
    cluster: Any = SimpleNamespace(
        files=SimpleNamespace(log_dir=lambda broker: tmp_path / f"data-{broker}")
    )
    for name in ("data-1", "data-1-second"):
        directory = tmp_path / name / "orders-3"
        directory.mkdir(parents=True)
        log = directory / "00000000000000000000.log"
        log.touch()
        written_s = 1_000 if name == lost else 2_000
        for each in (log, directory):
            os.utime(each, (written_s, written_s))

    (has,) = {"data-1", "data-1-second"} - {lost}
    assert replica_dir(cluster, 1, WHERE) == tmp_path / has / "orders-3"
