"""Brokers in containers are probed, killed, frozen and started again, like those in processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import docker
import pytest
from tests.grounds import play_on

from highwater.compose.labels import SESSION
from highwater.compose.site import DockerSite
from highwater.faults.block_link import BlockLink
from highwater.faults.kill import Kill
from highwater.faults.pause import Pause
from highwater.faults.power_loss import PowerLoss
from highwater.faults.stop import Stop
from highwater.harness.cluster import ClusterSpec
from highwater.harness.errors import InfrastructureError
from highwater.harness.kafka_cluster import KafkaCluster
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.workloads.producer import ProducerSettings

# One of each kind: one listener, ZooKeeper with named listeners, KRaft.
KAFKAS = ["0.10.1.1", "0.10.2.2", "4.1.1"]


@pytest.fixture(scope="module", params=KAFKAS)
def cluster(
    request: pytest.FixtureRequest, site: Callable[[str], DockerSite]
) -> Iterator[KafkaCluster]:
    with KafkaCluster(site(request.param), ClusterSpec()) as started:
        yield started


@pytest.fixture
def play(cluster: KafkaCluster, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Play]:
    settings = {"min.insync.replicas": "2"}
    with play_on(cluster, request.node.name, tmp_path / "run", settings) as opened:
        yield opened


@pytest.fixture
def partition(play: Play) -> Partition:
    return play.partitions[0]


def test_a_record_gets_to_every_replica(partition: Partition) -> None:
    sent = partition.send(5)

    ends = dict.fromkeys(partition.replicas, 5)
    partition.await_offsets("five records everywhere", ends, ends)
    assert sent.all_acked


@pytest.mark.parametrize("fault", [Kill, Stop])
def test_a_broker_comes_back_with_its_ports_and_its_log(
    play: Play, partition: Partition, fault: type[Kill | Stop]
) -> None:
    leader, other, _ = partition.replicas
    partition.send(3)
    partition.await_offsets("three records everywhere", dict.fromkeys(partition.replicas, 3))

    down = play.inject(fault(leader))
    partition.await_leader(other)
    assert not play.cluster.nodes.running(leader)
    assert "started" in play.cluster.files.server_log(leader).read_text()
    play.heal(down)

    partition.await_isr(*partition.replicas)
    assert partition.log_end_offset(leader) == 3


def test_a_frozen_broker_answers_again_when_it_has_thawed(play: Play, partition: Partition) -> None:
    _, follower, _ = partition.replicas

    frozen = play.inject(Pause(follower))
    with pytest.raises(OSError, match="timed out"):
        play.cluster.probe(follower).metadata()
    play.heal(frozen)

    partition.require_acked(partition.send(2))


def test_a_held_link_keeps_records_from_one_follower(play: Play, partition: Partition) -> None:
    leader, follower, other = partition.replicas
    held = play.inject(BlockLink(follower, leader))
    play.await_standing([held])

    partition.send(1, ProducerSettings(acks="1"), to=leader)

    partition.await_offsets("one follower lacks it", {leader: 1, other: 1, follower: 0})
    play.heal(held)
    partition.await_offsets("it has it now", {follower: 1})


def test_power_loss_cuts_the_log_of_a_container_that_is_down(
    play: Play, partition: Partition
) -> None:
    _, follower, _ = partition.replicas
    partition.send(4, one_batch=False)
    partition.await_offsets("four records everywhere", dict.fromkeys(partition.replicas, 4))

    lost = play.inject(PowerLoss(follower, partition.where, log_end_offset=2))

    assert not play.cluster.nodes.running(follower)
    assert lost.proof
    play.heal(lost)
    partition.await_offsets("it has fetched them again", {follower: 4})


def test_nothing_listens_but_on_this_machine_and_the_clusters_own_network(
    cluster: KafkaCluster, client: docker.DockerClient
) -> None:
    assert isinstance(cluster.site, DockerSite)
    mine = {"label": f"{SESSION}={cluster.site.session}"}

    published = [
        binding["HostIp"]
        for container in client.containers.list(filters=mine, ignore_removed=True)
        for bindings in container.ports.values()
        for binding in bindings or []
    ]

    assert published
    assert set(published) == {"127.0.0.1"}


def test_a_cluster_that_does_not_start_shows_the_end_of_the_log_and_leaves_nothing(
    site: Callable[[str], DockerSite], client: docker.DockerClient
) -> None:
    ground = site("0.10.2.2")
    cluster = KafkaCluster(ground, ClusterSpec(settings={"num.network.threads": "none"}))

    with pytest.raises(InfrastructureError, match=r"num\.network\.threads"):
        cluster.__enter__()

    mine = {"label": f"{SESSION}={ground.session}"}
    assert client.containers.list(all=True, filters=mine, ignore_removed=True) == []
    assert client.networks.list(filters=mine) == []
