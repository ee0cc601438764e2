"""The second disk of a broker is lost, and put back, or replaced by an empty one."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from unittest.mock import Mock

import pytest
from tests.fake_cluster import FakeCluster

from highwater.faults.cut_tail import CutTail
from highwater.faults.flip_bit import FlipBit
from highwater.faults.lose_disk import LoseDisk
from highwater.faults.read_only_directory import ReadOnlyDirectory
from highwater.faults.replace_disk import ReplaceDisk
from highwater.faults.wipe_replica import WipeReplica
from highwater.harness.errors import PreconditionError
from highwater.harness.log_dirs import second_log_dir
from highwater.harness.model import TopicPartition
from highwater.harness.partition import Partition
from highwater.harness.properties import properties_in

DEAD, LIVING = 4, 2
WHERE = TopicPartition("orders", 0)


@pytest.fixture
def cluster(tmp_path: Path) -> Any:
    return cast("Any", FakeCluster(tmp_path / "cluster"))


def disk_of(cluster: Any, broker: int) -> Path:
    made = second_log_dir(cluster.files.log_dir(broker))
    (made / "orders-0").mkdir(parents=True)
    told = f"version=1\ncluster.id=c\nnode.id={broker}\ndirectory.id=old\n"
    (made / "meta.properties").write_text(told)
    return made


def test_a_disk_is_no_directory_until_it_is_put_back_with_all_that_it_had(
    cluster: Any,
) -> None:
    disk = disk_of(cluster, LIVING)

    with LoseDisk(LIVING).inject(cluster) as lost:
        assert (lost.proof, disk.is_dir()) == ({"is a directory": False}, False)

    assert sorted(each.name for each in disk.iterdir()) == ["meta.properties", "orders-0"]
    assert not disk.with_name(f"{disk.name}-lost").exists()


def test_a_disk_that_replaces_one_is_formatted_and_has_nothing_of_it(
    cluster: Any,
) -> None:
    disk = disk_of(cluster, DEAD)

    with ReplaceDisk(DEAD).inject(cluster) as replaced:
        pass

    assert replaced.proof == {"directories gone": ["orders-0"]}
    (meta,) = disk.iterdir()
    told = {"version": "1", "cluster.id": "c", "node.id": "4"}
    assert properties_in(meta.read_bytes()) == told


@pytest.mark.parametrize("fault", [LoseDisk(LIVING), ReplaceDisk(DEAD)])
def test_a_disk_that_there_is_not_is_refused(fault: Any, cluster: Any) -> None:
    with (
        pytest.raises(PreconditionError, match=r"broker \d has no disk .*-second"),
        fault.inject(cluster),
    ):
        pass


def test_a_disk_is_not_replaced_under_a_broker_that_runs(cluster: Any) -> None:
    disk = disk_of(cluster, LIVING)

    with (
        pytest.raises(PreconditionError, match="broker 2 runs"),
        ReplaceDisk(LIVING).inject(cluster),
    ):
        pass

    assert (disk / "orders-0").exists()


def replica_of(cluster: Any, broker: int) -> Path:
    """On the second disk, with an empty log."""
    replica = disk_of(cluster, broker) / "orders-0"
    (replica / "00000000000000000000.log").touch()
    return replica


def test_a_replica_is_removed_from_the_disk_that_has_it(cluster: Any) -> None:
    replica = replica_of(cluster, DEAD)
    marker = replica.with_name(".kafka_cleanshutdown")
    marker.touch()

    with WipeReplica(DEAD, WHERE).inject(cluster) as wiped:
        assert wiped.proof == {"files removed": 1}

    assert not replica.exists()
    assert not marker.exists()


def test_a_directory_is_made_read_only_on_the_disk_that_has_it(cluster: Any) -> None:
    replica = replica_of(cluster, LIVING)
    before = replica.stat().st_mode

    with (
        pytest.raises(PreconditionError, match=f"{replica}/probe could be made"),
        ReadOnlyDirectory(LIVING, WHERE).inject(cluster),
    ):
        pass

    assert replica.stat().st_mode == before


def test_what_is_looked_for_in_a_log_is_looked_for_on_the_disk_that_has_it(cluster: Any) -> None:
    replica = replica_of(cluster, DEAD)

    with (
        pytest.raises(PreconditionError, match=f"{replica} has no record at offset 7"),
        FlipBit(DEAD, WHERE, 7).inject(cluster),
    ):
        pass


def test_a_log_is_not_cut_below_what_its_own_disk_says_is_flushed(cluster: Any) -> None:
    replica = replica_of(cluster, DEAD)
    replica.with_name("recovery-point-offset-checkpoint").write_text("0\n1\norders 0 5\n")

    with (
        pytest.raises(PreconditionError, match="5"),
        CutTail(DEAD, WHERE, 3).inject(cluster),
    ):
        pass


def test_a_high_watermark_is_read_from_the_disk_that_has_the_replica(cluster: Any) -> None:
    replica = replica_of(cluster, LIVING)
    replica.with_name("replication-offset-checkpoint").write_text("0\n1\norders 0 5\n")
    scene: Any = SimpleNamespace(cluster=cluster, sampler=Mock())
    partition = Partition(scene, WHERE, (LIVING,))

    assert partition.checkpointed_high_watermark(LIVING) == 5


def test_a_disk_without_what_a_new_one_needs_is_left_as_it_is(cluster: Any) -> None:
    disk = disk_of(cluster, DEAD)
    (disk / "meta.properties").write_text("version=0\ncluster.id=c\nbroker.id=4\n")  # ZooKeeper

    with (
        pytest.raises(PreconditionError, match=r"expected .*node.id"),
        ReplaceDisk(DEAD).inject(cluster),
    ):
        pass

    assert sorted(each.name for each in disk.iterdir()) == ["meta.properties", "orders-0"]
