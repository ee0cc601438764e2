"""Commands of a cluster's owner freeze and kill brokers, with KRaft and with ZooKeeper."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.cluster.operating import operating, play_there, results_of

from highwater.harness.cluster import ClusterSpec
from highwater.harness.jvm.runtime import Runtime
from highwater.harness.kafka_cluster import KafkaCluster
from highwater.harness.processes.site import ProcessSite
from highwater.harness.record.reader import open_run

SESSION = {"zookeeper.session.timeout.ms": "30000"}  # longer than a broker takes to start
pytestmark = pytest.mark.on_demand
SUITE = """
import pytest
from highwater.faults.kill import Kill
from highwater.faults.pause import Pause
from highwater.harness.workloads.producer import ProducerSettings

# Who gives up a record whose request is under way may send others of it twice.
PATIENT = ProducerSettings(delivery_timeout_s=120)


@pytest.mark.parametrize("fault", [Pause, Kill])
def test_a_leader_is_gone_for_a_while(play, fault):
    orders = play.topic("orders", partitions=3)
    with play.group("billing", orders, members=2) as billing:
        with play.load(orders, rate_per_s=100, settings=PATIENT) as load:
            load.await_acked(100)
            play.inject(fault(orders[0].leader))
            load.await_acked(100)
            play.heal()
            load.await_acked(100)
        billing.await_caught_up()


def test_a_leader_comes_back_before_anybody_misses_it(play, partition):
    partition.send(3)
    play.inject(Kill(partition.leader))
    play.heal()
    partition.send(3)
"""


@pytest.fixture(params=["4.1.1", "3.9.1-zk", "2.8.2"])
def cluster(
    request: pytest.FixtureRequest, prepared: Callable[[str], Runtime], tmp_path: Path
) -> Iterator[KafkaCluster]:
    theirs = prepared(request.param)
    site = ProcessSite(theirs, tmp_path / "cluster")
    settings = {} if theirs.kafka.kraft else SESSION
    spec = ClusterSpec(gated=False, quiet_replication_links=False, settings=settings)
    with KafkaCluster(site, spec) as started:
        yield started


def test_a_leader_is_frozen_and_killed_by_its_owners_commands_and_given_back(
    cluster: KafkaCluster, tmp_path: Path
) -> None:
    with operating(cluster, ("kill", "start", "pause", "resume")) as (hooks, asked):
        at, kafka = cluster.bootstrap.partition(",")[0], cluster.kafka.name
        done = play_there(at, tmp_path, SUITE, *hooks, "--i-own-this-cluster", kafka=kafka)
        tests = results_of(tmp_path, done)

    assert "faults that can be injected there: Kill, KillClient, Pause, PauseClient," in done.stdout
    assert [each["outcome"] for each in tests] == ["passed"] * 3, tests
    assert [each.split()[0] for each in asked] == ["pause", "resume", *["kill", "start"] * 2]
    for test, fault in zip(tests, ("Pause(", "Kill(", "Kill("), strict=True):
        run = open_run(tmp_path / "r" / test["run"])
        recoveries = run.recoveries().to_pylist()
        assert any(each["fault"].startswith(fault) and each["first_ack_ms"] for each in recoveries)
        answers = {each.claim: each.answer for each in run.verdicts()}
        assert (answers["lost-write"], answers["leader-out-of-sync"]) == ("HELD", "HELD")
        for name in run.identity["topics"]:
            assert not cluster.metadata.has_topic(name)
    assert all(cluster.nodes.running(each) for each in cluster.brokers)
