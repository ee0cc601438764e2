"""Faults that no scenario uses take effect on real brokers, show it, and heal."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from highwater.faults.at_the_gate import AtTheGate
from highwater.faults.block_link import BlockLink
from highwater.faults.delay_link import DelayLink
from highwater.faults.flip_bit import FlipBit
from highwater.faults.in_sequence import InSequence
from highwater.faults.kill import Kill
from highwater.faults.limit_link import LimitLink
from highwater.faults.pause import Pause
from highwater.faults.reset_link import ResetLink
from highwater.faults.stop import Stop
from highwater.faults.together import Together
from highwater.harness.cluster import ClusterSpec
from highwater.harness.errors import PreconditionError
from highwater.harness.jvm.runtime import Runtime
from highwater.harness.kafka_cluster import KafkaCluster
from highwater.harness.model import Fault, TopicPartition
from highwater.harness.play import Play
from highwater.harness.probes.batches import log_batches
from highwater.harness.processes.site import ProcessSite
from highwater.harness.record.writer import RunRecord
from highwater.harness.workloads.producer import ProducerSettings


@pytest.fixture(scope="module", params=["0.11.0.3", "4.1.1"])
def cluster(
    request: pytest.FixtureRequest,
    prepared: Callable[[str], Runtime],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[KafkaCluster]:
    site = ProcessSite(prepared(request.param), tmp_path_factory.mktemp("cluster") / "cluster")
    with KafkaCluster(site, ClusterSpec()) as started:
        yield started


@pytest.fixture
def play(cluster: KafkaCluster, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Play]:
    where = TopicPartition(re.sub(r"[^\w.-]", "-", request.node.name)[-100:])
    with RunRecord(tmp_path / "run", {"scenario": "test"}) as record:
        opened = Play(cluster, record, where, replicas=3)
        opened.create({"min.insync.replicas": "2"})
        yield opened
        opened.heal()


@pytest.mark.parametrize(
    "fault", [DelayLink(2, 1, delay_ms=50), LimitLink(2, 1, bytes_per_s=4000), ResetLink(2, 1)]
)
def test_a_bad_link_meets_frames_and_the_follower_catches_up_when_it_is_healed(
    play: Play, fault: Fault[AtTheGate]
) -> None:
    bad = play.inject(fault)
    play.send(20, ProducerSettings(acks="1"), to=1)
    play.await_state("the rule has met frames", lambda: bad.proof["matched"] > 0)
    play.heal(bad)

    end = play.log_end_offset(1)
    assert end == 20
    play.await_offsets("all have everything", dict.fromkeys(play.replicas, end))


def test_a_flipped_bit_is_seen_in_the_segment_file(play: Play) -> None:
    _, follower, _ = play.replicas
    play.send(3, one_batch=False)
    play.await_offsets("three records everywhere", dict.fromkeys(play.replicas, 3))
    directory = play.cluster.log_dir(follower) / str(play.where)
    with pytest.raises(PreconditionError, match="runs"):
        play.inject(FlipBit(follower, play.where, offset=1))

    dead = play.inject(Kill(follower))
    flipped = play.inject(FlipBit(follower, play.where, offset=1))

    assert [batch.crc_ok for batch in log_batches(directory)] == [True, False, True]
    play.heal(flipped, dead)
    play.await_offsets("an unclean start has found it out", {follower: 3})
    play.await_state(
        "what it fetched again is sound",
        lambda: [batch.crc_ok for batch in log_batches(directory)] == [True, True, True],
    )


def test_a_rolling_restart_is_a_sequence_and_leaves_everybody_serving(play: Play) -> None:
    play.send(3)

    done = play.inject(InSequence(tuple(Stop(broker) for broker in play.replicas)))

    assert [next(iter(each)) for each in done.proof["healed, in this order"]] == [
        f"Stop(broker={broker})" for broker in play.replicas
    ]
    play.await_isr(*play.replicas)


def test_faults_together_are_all_open_and_all_healed(play: Play) -> None:
    leader, second, third = play.replicas

    both = play.inject(Together((Pause(third), BlockLink(second, leader))))

    assert list(both.proof) == [repr(Pause(third)), repr(BlockLink(second, leader))]
    play.heal(both)
    play.require_acked(play.send(1))
