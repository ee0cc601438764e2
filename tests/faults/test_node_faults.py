"""Brokers, the controller and ZooKeeper are frozen, killed and starved, and come back."""

from __future__ import annotations

from typing import Any

import pytest

from highwater.backends import PROCESS
from highwater.faults.aimed import Aimed
from highwater.faults.block_link import BlockLink
from highwater.faults.freeze_threads import FreezeThreads
from highwater.faults.in_sequence import InSequence
from highwater.faults.jump_clock import JumpClock
from highwater.faults.kill import Kill
from highwater.faults.kill_metadata import KillMetadata
from highwater.faults.limit_cpu import LimitCpu
from highwater.faults.pause import Pause
from highwater.faults.pause_metadata import PauseMetadata
from highwater.faults.repeat import Repeat
from highwater.faults.stop import Stop
from highwater.faults.targets import Controller, Coordinator, Follower
from highwater.faults.together import Together
from highwater.harness.cluster import Fault
from highwater.harness.errors import PreconditionError
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.probes.batches import log_batches
from highwater.harness.workloads.producer import ACKS_ONE, ProducerSettings


def test_a_rolling_restart_is_a_sequence_and_leaves_everybody_serving(
    play: Play, partition: Partition
) -> None:
    partition.send(3)

    done = play.inject(InSequence(tuple(Stop(broker) for broker in partition.replicas)))

    assert [next(iter(each)) for each in done.proof["healed, in this order"]] == [
        f"Stop(broker={broker})" for broker in partition.replicas
    ]
    partition.await_isr(*partition.replicas)


def test_a_broker_that_keeps_dying_comes_back_each_time(play: Play, partition: Partition) -> None:
    done = play.inject(Repeat(Aimed(Follower(partition.where), Kill), times=2))

    assert len(done.proof["healed, in this order"]) == 2
    partition.await_isr(*partition.replicas)


def test_faults_together_are_all_open_and_all_healed(play: Play, partition: Partition) -> None:
    leader, second, third = partition.replicas

    both = play.inject(Together((Pause(third), BlockLink(second, leader))))

    assert list(both.proof) == [repr(Pause(third)), repr(BlockLink(second, leader))]
    play.heal(both)
    partition.require_acked(partition.send(1))


@pytest.mark.parametrize("fault", [KillMetadata(), PauseMetadata()])
def test_brokers_go_on_without_their_metadata_and_it_comes_back(
    play: Play, partition: Partition, fault: Fault[Any]
) -> None:
    gone = play.inject(fault)
    plain = ProducerSettings(idempotence=False)  # producer ids are the metadata's to give
    partition.require_acked(partition.send(2, plain))
    play.heal(gone)

    partition.move_leader(2)
    partition.await_leader(2)


def test_whoever_is_the_controller_is_hit(play: Play) -> None:
    hit = play.inject(Aimed(Controller(), Pause))

    assert hit.proof["fault"] == f"Pause(broker={play.cluster.nodes.controller})"
    play.heal(hit)


def test_whoever_coordinates_groups_is_hit(play: Play) -> None:
    hit = play.inject(Aimed(Coordinator(), Pause))

    assert hit.proof["fault"].startswith("Pause(broker=")
    play.heal(hit)


def test_a_throttled_broker_has_a_quota_until_it_is_healed(
    play: Play, partition: Partition, backend: str
) -> None:
    if backend == PROCESS:
        with pytest.raises(PreconditionError, match="--backend docker"):
            play.inject(LimitCpu(3))
        return
    throttled = play.inject(LimitCpu(3, cores=0.25))

    assert throttled.proof["quota and period, us"][0] == "25000"
    play.heal(throttled)
    partition.require_acked(partition.send(1))


def test_a_follower_whose_fetchers_stand_still_is_behind_and_answers_all_the_same(
    play: Play, partition: Partition
) -> None:
    leader, follower, other = partition.replicas
    partition.require_acked(partition.send(1))

    frozen = play.inject(FreezeThreads(follower, "ReplicaFetcherThread"))

    assert {told.rpartition(": ")[2] for told in frozen.proof.values()} == {"t"}
    partition.send(2, ACKS_ONE)
    partition.await_offsets("it alone is behind", {leader: 3, follower: 1, other: 3})
    play.heal(frozen)
    partition.await_offsets("it has caught up", dict.fromkeys(partition.replicas, 3))
    with pytest.raises(PreconditionError, match="begin with 'no-such-thread', saw none"):
        play.inject(FreezeThreads(follower, "no-such-thread"))


def test_a_clock_that_has_jumped_shows_in_the_times_of_records(
    play: Play, partition: Partition
) -> None:
    partition.send(1)
    jumped = play.inject(JumpClock(1, shift_s=7200))
    partition.send(1)
    play.heal(jumped)

    before, after = log_batches(play.cluster.files.log_dir(1) / str(partition.where))
    assert before.max_timestamp_ms is not None
    assert after.max_timestamp_ms is not None
    assert 7190 < (after.max_timestamp_ms - before.max_timestamp_ms) / 1000 < 7260
