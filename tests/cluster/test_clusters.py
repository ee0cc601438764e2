"""Every Kafka of the ladder is started, probed, moved, killed, frozen and started again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import cast

import confluent_kafka
import pytest
from confluent_kafka.admin import AdminClient
from tests.grounds import play_on

from highwater.faults.block_link import BlockLink
from highwater.faults.kill import Kill
from highwater.faults.pause import Pause
from highwater.faults.stop import Stop
from highwater.harness.cluster import ClusterSpec
from highwater.harness.errors import InfrastructureError
from highwater.harness.evidence import log_parts
from highwater.harness.jvm.runtime import Runtime
from highwater.harness.kafka_cluster import KafkaCluster
from highwater.harness.metadata import office
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.processes.site import ProcessSite
from highwater.harness.versions.catalogue import ladder_kafkas
from highwater.harness.wait import wait_until
from highwater.harness.workloads import librdkafka

# Three kinds for every run: one listener and the old format, epochs, KRaft. The ladder starts most
# of the others as well; what is done to them here has its turn in a slice.
OFTEN = {"0.10.0.1", "0.11.0.3", "4.1.1"}
KAFKAS = [
    pytest.param(
        kafka.name,
        marks=()
        if kafka.name in OFTEN
        else pytest.mark.on_demand(together=f"tests/cluster/test_clusters.py[{kafka.name}]"),
    )
    for kafka in ladder_kafkas()
]
MOVABLE = {"min.insync.replicas": "2"}


@pytest.fixture(scope="module", params=KAFKAS)
def cluster(
    request: pytest.FixtureRequest,
    prepared: Callable[[str], Runtime],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[KafkaCluster]:
    directory = tmp_path_factory.mktemp("cluster") / "cluster"
    with KafkaCluster(ProcessSite(prepared(request.param), directory), ClusterSpec()) as started:
        yield started


@pytest.fixture
def play(cluster: KafkaCluster, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Play]:
    with play_on(cluster, request.node.name, tmp_path / "run", MOVABLE) as opened:
        yield opened


@pytest.fixture
def partition(play: Play) -> Partition:
    return play.partitions[0]


def test_a_request_that_a_new_controller_has_cleared_away_is_made_again(
    play: Play, partition: Partition, cluster: KafkaCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    if cluster.kafka.kraft:
        pytest.skip("KRaft answers a request for other replicas, so none is lost")

    for number, order in enumerate([(2, 1, 3), (3, 1, 2), (1, 2, 3)] * 2):
        monkeypatch.setattr(office, "CHANCES", 8 * (number % 2))  # by chance, and for certain
        play.fail_over_controller()
        play.bring_controller_home()
        partition.prefer(*order)

        assert partition.state().replicas == order


def logged_by(play: Play, partition: Partition, broker: int) -> list[int | None]:
    """The values in one replica's segment files."""
    (part,) = log_parts(play.scene, [(partition, broker)])
    return cast("list[int | None]", part["value"].to_pylist())


def test_a_record_gets_to_every_replica_and_into_its_segment_files(
    play: Play, partition: Partition
) -> None:
    sent = partition.send(5)

    ends = dict.fromkeys(partition.replicas, 5)
    partition.await_offsets("five records everywhere", ends, ends)
    logged = {broker: logged_by(play, partition, broker) for broker in partition.replicas}
    assert sent.all_acked
    assert logged == {broker: [1, 2, 3, 4, 5] for broker in partition.replicas}


def test_what_has_been_deleted_from_a_log_does_not_hide_its_high_watermark(
    play: Play, partition: Partition
) -> None:
    if not play.cluster.kafka.at_least("0.11"):
        pytest.skip("before 0.11 nobody can delete records")
    partition.send(5)
    kept = confluent_kafka.TopicPartition(partition.where.topic, partition.where.partition, 3)
    admin = AdminClient({"bootstrap.servers": play.cluster.bootstrap})

    admin.delete_records([kept])[kept].result(30)

    probes = [play.cluster.probe(broker) for broker in partition.replicas]
    wait_until(
        lambda: [probe.log_start_offset(partition.where) for probe in probes] == [3, 3, 3],
        "every replica to let go of what was deleted",
    )
    assert [probe.high_watermark(partition.where) for probe in probes] == [5, 5, 5]


def test_records_that_find_the_producer_s_queue_full_wait_and_stay_in_order(
    play: Play, partition: Partition, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(librdkafka.SETTINGS, "queue.buffering.max.messages", 100)

    sent = partition.send(300)

    assert sent.all_acked
    assert logged_by(play, partition, 1) == list(range(1, 301))


def test_leadership_moves_where_it_is_asked_to(partition: Partition) -> None:
    before = partition.state()

    partition.move_leader(2)
    after = partition.await_leader(2, isr=(1, 2, 3))

    assert before.leader == 1
    assert after.replicas[0] == 2
    assert after.leader_epoch > before.leader_epoch


def test_a_killed_broker_comes_back_with_its_port_and_its_log(
    play: Play, partition: Partition
) -> None:
    partition.send(3)
    address = play.cluster.address(1)

    killed = play.inject(Kill(1))
    partition.await_leader(2, isr=(2, 3))
    play.heal(killed)

    partition.await_state("the ISR is full again", lambda: partition.state().isr == (1, 2, 3))
    assert killed.proof == {"running": False}
    assert play.cluster.address(1) == address
    assert partition.log_end_offset(1) == 3


def test_a_frozen_broker_goes_on_where_it_was(play: Play, partition: Partition) -> None:
    frozen = play.inject(Pause(3))

    seen = play.cluster.nodes.running(3)
    play.heal(frozen)

    assert seen
    assert partition.log_end_offset(3) == 0


def test_a_broker_comes_back_while_another_one_is_frozen_and_out_of_the_cluster(
    play: Play,
) -> None:
    frozen = play.inject(Pause(3))
    wait_until(lambda: 3 not in play.cluster.metadata.registered(), "broker 3 to be missed")

    play.restart(Kill(2))

    assert 2 in play.cluster.metadata.registered()
    play.heal(frozen)


def test_a_stopped_broker_leaves_a_clean_shutdown_marker(play: Play, partition: Partition) -> None:
    partition.send(1)

    stopped = play.inject(Stop(3))

    assert stopped.proof == {"running": False, "clean shutdown marker": True}


def test_a_blocked_link_keeps_one_follower_behind_until_it_is_healed(
    play: Play, partition: Partition
) -> None:
    # A fetch that was under way carries one more record; the next one stands at the gate.
    blocked = play.inject(BlockLink(follower=3, leader=1))
    play.await_standing([blocked])
    behind = partition.log_end_offset(3)

    partition.await_state("broker 2 has the record", lambda: _sent_to(partition, 2))
    kept_behind = partition.log_end_offset(3)
    play.heal(blocked)

    partition.await_state("broker 3 has caught up", lambda: partition.log_end_offset(3) > behind)
    assert kept_behind == behind


def _sent_to(partition: Partition, broker: int) -> bool:
    from highwater.harness.workloads.producer import ProducerSettings  # noqa: PLC0415

    if partition.log_end_offset(1) == 0:
        partition.send(1, ProducerSettings(acks="1"))
    return partition.log_end_offset(broker) == 1


def test_a_broker_that_cannot_start_shows_the_end_of_its_log(
    prepared: Callable[[str], Runtime], tmp_path: Path
) -> None:
    spec = ClusterSpec(settings={"log.segment.bytes": "not a number"}, gated=False, brokers=1)
    cluster = KafkaCluster(ProcessSite(prepared("0.10.2.2"), tmp_path / "cluster"), spec)

    with pytest.raises(InfrastructureError, match=r"(?s)ended by itself.*log\.segment\.bytes"):
        cluster.__enter__()


def test_everything_has_ended_when_a_cluster_has(
    prepared: Callable[[str], Runtime], tmp_path: Path
) -> None:
    site = ProcessSite(prepared("0.10.2.2"), tmp_path / "c")
    with KafkaCluster(site, ClusterSpec(brokers=1)) as cluster:
        pids = [site.nodes[1].pid, cluster.gate.pid]

    wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in pids), "them to be gone")
