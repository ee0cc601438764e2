"""Brokers get another release on the data that they have."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from tests.grounds import play_on

from highwater.faults.kill import Kill
from highwater.faults.stop import Stop
from highwater.harness.errors import UsageError
from highwater.harness.kafka_cluster import KafkaCluster
from highwater.harness.metadata.features import METADATA_VERSION, features_by
from highwater.harness.play import Play
from highwater.harness.probes.wire import Wire
from highwater.harness.versions.upgrading import STEPS
from highwater.scenarios.acts.upgraded import laggard_is_elected

Start = Callable[..., KafkaCluster]
OLD, FIXED = "0.10.2.2", "0.11.0.3"
KRAFT, NEWER = "3.9.1", "4.1.1"
PINNED = ["inter.broker.protocol.version=0.10.2", "log.message.format.version=0.10.2"]
LONG = pytest.mark.on_demand


@contextmanager
def playing(cluster: KafkaCluster, directory: Path) -> Iterator[Play]:
    with play_on(cluster, "upgraded", directory, {}) as opened:
        opened.partitions[0].send(5)
        yield opened
        sent = opened.partitions[0].send(5)
        assert sent.all_acked


def releases(run: Path) -> dict[str, list[str]]:
    told: dict[str, list[str]] = json.loads((run / "run.json").read_text())["releases"]
    return told


def final_level(cluster: KafkaCluster) -> int:
    with closing(Wire.at(cluster.address(1))) as wire:
        return features_by(wire).final[METADATA_VERSION]


def test_one_broker_is_upgraded_and_comes_back_as_the_new_one_ever_after(
    start_cluster: Start, tmp_path: Path
) -> None:
    cluster = start_cluster(OLD)

    with playing(cluster, tmp_path / "run") as play:
        play.upgrade(2, FIXED)
        play.restart(Kill(2))
        jars = [Path(f"/proc/{cluster.nodes[each].pid}/cmdline").read_text() for each in (1, 2)]
        with pytest.raises(UsageError, match="keeps the brokers that it has"):
            play.add_broker()

    assert [cluster.nodes.runs(each).version for each in cluster.brokers] == [OLD, FIXED, OLD]
    assert [f"kafka_2.11-{FIXED}.jar" in each for each in jars] == [False, True]
    assert {*PINNED} <= {*cluster.files.properties(2).read_text().splitlines()}
    assert releases(tmp_path / "run") == {"2": [OLD, FIXED]}
    assert play.has_other_brokers


@pytest.mark.parametrize(
    ("node", "release", "said"),
    [
        (1, "9.9.9", "no Kafka '9.9.9'"),
        (1, "4.1.1", "KIP-866"),
        (9, FIXED, "expected one of the nodes"),
        (3, FIXED, "node 3 is down"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_stops(
    start_cluster: Start, tmp_path: Path, node: int, release: str, said: str
) -> None:
    cluster = start_cluster(OLD)

    with playing(cluster, tmp_path / "run") as play:
        play.inject(Stop(3))
        before = [cluster.nodes[each].pid for each in (1, 2)]
        with pytest.raises(UsageError, match=said):
            play.upgrade(node, release)

        assert [cluster.nodes[each].pid for each in (1, 2)] == before
        assert not play.has_other_brokers


@LONG
def test_three_voters_are_upgraded_as_well_and_then_the_metadata_version_is_raised(
    start_cluster: Start, tmp_path: Path
) -> None:
    cluster = start_cluster(KRAFT, voters=3)

    with playing(cluster, tmp_path / "run") as play:
        first = final_level(cluster)
        play.rolling_upgrade(NEWER, until="binaries")
        second = final_level(cluster)
        pids = [cluster.nodes[each].pid for each in cluster.nodes.numbers]
        play.rolling_upgrade(NEWER)
        play.partitions[0].move_leader(2)
        with pytest.raises(UsageError, match=r"metadata\.version is that of 4\.1"):
            play.upgrade(1, KRAFT)

    assert first == second < final_level(cluster)
    assert pids == [cluster.nodes[each].pid for each in cluster.nodes.numbers]
    assert releases(tmp_path / "run") == {
        str(each): [KRAFT, NEWER] for each in cluster.nodes.numbers
    }


@LONG
def test_what_was_not_raised_goes_back(start_cluster: Start, tmp_path: Path) -> None:
    cluster = start_cluster("2.8.2")

    with playing(cluster, tmp_path / "run") as play:
        play.rolling_upgrade("3.9.1", until="binaries")
        play.rolling_upgrade("2.8.2", until="binaries")

    assert {cluster.nodes.runs(each).version for each in cluster.brokers} == {"2.8.2"}
    assert set(map(tuple, releases(tmp_path / "run").values())) == {("2.8.2", "3.9.1-zk", "2.8.2")}


@LONG
def test_the_hole_of_kip_101_closes_with_the_message_format_and_not_before(
    start_cluster: Start, tmp_path: Path
) -> None:
    lost = {}

    with playing(start_cluster(OLD), tmp_path / "run") as play:
        for step in STEPS:
            play.rolling_upgrade(FIXED, step)
            partition = play.topic(step)[0]
            laggard_is_elected(play, partition)
            lost[step] = 11 - partition.log_end_offset(partition.replicas[-1])
            play.heal()

    assert lost == {"binaries": 10, "protocol": 10, "format": 0}
