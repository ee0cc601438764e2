"""A further disk of a broker is lost, and put back, or replaced by an empty one."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest
from tests.fake_cluster import FakeCluster

from highwater.faults.lose_disk import LoseDisk
from highwater.faults.replace_disk import ReplaceDisk
from highwater.harness.errors import PreconditionError
from highwater.harness.properties import properties_in

DEAD, SECOND = 4, "second-disk"


@pytest.fixture
def cluster(tmp_path: Path) -> Any:
    return cast("Any", FakeCluster(tmp_path / "cluster"))


@pytest.fixture
def disk(cluster: Any) -> Path:
    made: Path = cluster.files.log_dir(DEAD).parent / SECOND
    (made / "orders-0").mkdir(parents=True)
    told = "version=1\ncluster.id=c\nnode.id=4\ndirectory.id=old\n"
    (made / "meta.properties").write_text(told)
    return made


def test_a_disk_is_no_directory_until_it_is_put_back_with_all_that_it_had(
    cluster: Any, disk: Path
) -> None:
    with LoseDisk(2, SECOND).inject(cluster) as lost:
        assert (lost.proof, disk.is_dir()) == ({"is a directory": False}, False)

    assert sorted(each.name for each in disk.iterdir()) == ["meta.properties", "orders-0"]
    assert not disk.with_name(f"{SECOND}-lost").exists()


def test_a_disk_that_replaces_one_is_formatted_and_has_nothing_of_it(
    cluster: Any, disk: Path
) -> None:
    with ReplaceDisk(DEAD, SECOND).inject(cluster) as replaced:
        pass

    assert replaced.proof == {"directories gone": ["orders-0"]}
    (meta,) = disk.iterdir()
    told = {"version": "1", "cluster.id": "c", "node.id": "4"}
    assert properties_in(meta.read_bytes()) == told


@pytest.mark.parametrize("fault", [LoseDisk(2, "third-disk"), ReplaceDisk(DEAD, "third-disk")])
def test_a_disk_that_there_is_not_is_refused(fault: Any, cluster: Any) -> None:
    with (
        pytest.raises(PreconditionError, match=r"broker \d has no disk .*third-disk"),
        fault.inject(cluster),
    ):
        pass


def test_a_disk_is_not_replaced_under_a_broker_that_runs(cluster: Any, disk: Path) -> None:
    with (
        pytest.raises(PreconditionError, match="broker 2 runs"),
        ReplaceDisk(2, SECOND).inject(cluster),
    ):
        pass

    assert (disk / "orders-0").exists()
