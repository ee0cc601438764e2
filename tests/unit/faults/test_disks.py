"""The second disk of a broker is lost, and put back, or replaced by an empty one."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest
from tests.fake_cluster import FakeCluster

from highwater.faults.lose_disk import LoseDisk
from highwater.faults.replace_disk import ReplaceDisk
from highwater.harness.errors import PreconditionError
from highwater.harness.log_dirs import second_log_dir
from highwater.harness.properties import properties_in

DEAD, LIVING = 4, 2


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
