"""A cluster leaves ZooKeeper for KRaft while it is used."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.grounds import play_on

from highwater.faults.kill import Kill
from highwater.faults.kill_metadata import KillMetadata
from highwater.faults.stop import Stop
from highwater.harness.errors import UsageError
from highwater.harness.kafka_cluster import KafkaCluster
from highwater.harness.metadata.zookeeper import ZooKeeperMetadata
from highwater.harness.versions.upgrading import Stage

Start = Callable[..., KafkaCluster]
BOTH = "3.9.1-zk"
CONTROLLER, ZOOKEEPER = 300, 0


@pytest.mark.on_demand
def test_a_play_goes_on_at_each_stage_and_nobody_asks_zookeeper_at_the_end(
    start_cluster: Start, tmp_path: Path
) -> None:
    cluster = start_cluster(BOTH)

    with play_on(cluster, "migrated", tmp_path / "run", {}) as play:
        first = play.partitions[0]
        first.send(5)
        play.migrate_to_kraft(until="copied")
        hybrid = [cluster.nodes.runs(each).name for each in cluster.brokers]
        first.move_leader(2)
        first.await_leader(2)
        play.inject(Kill(2))
        first.await_state("somebody else leads", lambda: first.leader in {1, 3})
        play.heal()
        play.migrate_to_kraft(until="brokers")
        play.restart(KillMetadata())
        later = play.topic("later", partitions=2)
        play.migrate_to_kraft()
        sent = [each.send(5) for each in (first, *later)]

    assert hybrid == [BOTH] * 3
    assert all(each.all_acked for each in sent)
    assert cluster.kafka.kraft
    assert cluster.nodes.voters == (CONTROLLER,)
    told = json.loads((tmp_path / "run" / "run.json").read_text())["releases"]
    assert told == {key: [BOTH, "3.9.1"] for key in ("1", "2", "3", "100")} | {"300": ["3.9.1"]}
    written = [cluster.files.properties(each).read_text() for each in cluster.files.owners]
    assert not [text for text in written if "zookeeper" in text]
    assert play.has_other_brokers


@pytest.mark.on_demand
@pytest.mark.parametrize("until", ["copied", "brokers"])
def test_a_migration_is_taken_back_and_begun_again(
    start_cluster: Start, tmp_path: Path, until: Stage
) -> None:
    cluster = start_cluster(BOTH)

    with play_on(cluster, "back", tmp_path / "run", {}) as play:
        first = play.partitions[0]
        play.migrate_to_kraft(until=until)
        play.topic("hybrid")[0].send(5)
        play.return_to_zookeeper()
        old = [cluster.nodes.runs(each).name for each in cluster.brokers]
        assert isinstance(cluster.metadata, ZooKeeperMetadata)
        office = cluster.metadata.controller()
        running = {each: cluster.nodes[each].running for each in (ZOOKEEPER, CONTROLLER)}
        play.inject(Kill(led := first.leader))
        first.await_state("somebody else leads", lambda: first.leader not in {led, -1})
        play.heal()
        with pytest.raises(UsageError, match="saw none"):
            play.return_to_zookeeper()
        play.topic("later")[0].send(5)
        play.migrate_to_kraft()
        sent = [each.send(5) for each in play.partitions]
        with pytest.raises(UsageError, match="saw one that is over"):
            play.return_to_zookeeper()

    assert (old, office) == ([BOTH] * 3, cluster.nodes.controller)
    assert running == {ZOOKEEPER: True, CONTROLLER: False}
    assert all(each.all_acked for each in sent)
    assert cluster.kafka.kraft


def test_what_cannot_leave_zookeeper_is_refused_before_anything_stops(
    start_cluster: Start, tmp_path: Path
) -> None:
    cluster = start_cluster(BOTH)

    with play_on(cluster, "refused", tmp_path / "run", {}) as play:
        with pytest.raises(UsageError, match="copied, brokers, final"):
            play.migrate_to_kraft(until="done")  # type: ignore[arg-type]
        play.inject(Stop(3))
        before = [cluster.nodes[each].pid for each in (1, 2)]
        with pytest.raises(UsageError, match="node 3 is down"):
            play.migrate_to_kraft()

        assert [cluster.nodes[each].pid for each in (1, 2)] == before
        assert not play.has_other_brokers
        play.heal()
        play.partitions[0].send(5)


@pytest.mark.on_demand
def test_between_stages_nothing_stops_that_the_next_one_needs(
    start_cluster: Start, tmp_path: Path
) -> None:
    cluster = start_cluster(BOTH, brokers=4)
    nodes = cluster.nodes

    with play_on(cluster, "between", tmp_path / "run", {}) as play:
        (gone,) = {*cluster.brokers} - {*play.partitions[0].replicas}
        play.remove_broker(gone)
        play.migrate_to_kraft(until="copied")
        before = [nodes[each].pid for each in cluster.brokers]
        with pytest.raises(UsageError, match="come to its end first"):
            play.rolling_upgrade("4.1.1")
        killed = play.inject(KillMetadata())
        with pytest.raises(UsageError, match=f"node {CONTROLLER} is down"):
            play.migrate_to_kraft()
        play.heal(killed)

        assert [nodes[each].pid for each in cluster.brokers] == before
        play.inject(Kill(last := cluster.brokers[-1]))
        with pytest.raises(UsageError, match=f"node {last} is down"):
            play.migrate_to_kraft()

        assert [nodes[each].pid for each in cluster.brokers[:-1]] == before[:-1]
        assert not nodes.running(gone)
