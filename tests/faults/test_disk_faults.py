"""Files that are damaged, gone or refused show on real brokers, which recover what they can."""

from __future__ import annotations

import pytest

from highwater.faults.flip_bit import FlipBit
from highwater.faults.full_disk import FullDisk
from highwater.faults.kill import Kill
from highwater.faults.read_only_directory import ReadOnlyDirectory
from highwater.faults.rewrite_checkpoint import RewriteCheckpoint
from highwater.faults.stop import Stop
from highwater.faults.tear_batch import TearBatch
from highwater.faults.wipe_replica import WipeReplica
from highwater.harness.errors import PreconditionError
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.probes.batches import log_batches
from highwater.harness.probes.checkpoints import HIGH_WATERMARK_CHECKPOINT
from highwater.harness.workloads.producer import ProducerSettings

BIG = ProducerSettings(acks="1", size_bytes=1000)


def _three_batches(partition: Partition) -> None:
    partition.send(3, one_batch=False)
    partition.await_offsets("three records everywhere", dict.fromkeys(partition.replicas, 3))


def test_a_flipped_bit_is_seen_in_the_segment_file(play: Play, partition: Partition) -> None:
    _, follower, _ = partition.replicas
    _three_batches(partition)
    directory = play.cluster.files.log_dir(follower) / str(partition.where)
    with pytest.raises(PreconditionError, match="runs"):
        play.inject(FlipBit(follower, partition.where, offset=1))

    dead = play.inject(Kill(follower))
    flipped = play.inject(FlipBit(follower, partition.where, offset=1))

    assert [batch.crc_ok for batch in log_batches(directory)] == [True, False, True]
    play.heal(flipped, dead)
    partition.await_offsets("an unclean start has found it out", {follower: 3})
    partition.await_state(
        "what it fetched again is sound",
        lambda: [batch.crc_ok for batch in log_batches(directory)] == [True, True, True],
    )


def test_a_torn_batch_is_cut_off_and_fetched_again(play: Play, partition: Partition) -> None:
    _, follower, _ = partition.replicas
    _three_batches(partition)
    with pytest.raises(PreconditionError, match="runs"):
        play.inject(TearBatch(follower, partition.where, offset=1))

    dead = play.inject(Kill(follower))
    torn = play.inject(TearBatch(follower, partition.where, offset=1))

    directory = play.cluster.files.log_dir(follower) / str(partition.where)
    assert [batch.last_offset for batch in log_batches(directory)] == [0]
    assert torn.proof["bytes now"] < torn.proof["bytes before"]
    play.heal(torn, dead)
    partition.await_offsets("it has fetched them again", {follower: 3})


def test_a_checkpoint_that_is_gone_is_written_anew(play: Play, partition: Partition) -> None:
    _, follower, _ = partition.replicas
    _three_batches(partition)
    name = HIGH_WATERMARK_CHECKPOINT

    down = play.inject(Stop(follower))
    gone = play.inject(RewriteCheckpoint(follower, name, None))

    assert partition.checkpointed_high_watermark(follower) == 0
    assert str(partition.where).rpartition("-")[0] in gone.proof["before"]
    play.heal(gone, down)
    partition.await_offsets("it has heard what is committed", {follower: 3}, {follower: 3})
    play.restart(Stop(follower))
    assert partition.checkpointed_high_watermark(follower) == 3


def test_a_wiped_replica_fetches_everything_again(play: Play, partition: Partition) -> None:
    _, follower, _ = partition.replicas
    _three_batches(partition)

    dead = play.inject(Kill(follower))
    wiped = play.inject(WipeReplica(follower, partition.where))

    assert wiped.proof["files removed"] >= 1
    play.heal(wiped, dead)
    partition.await_offsets("it has everything again", {follower: 3})


def test_a_broker_whose_disk_is_full_goes_and_comes_back_with_room(
    play: Play, partition: Partition
) -> None:
    leader, follower, _ = partition.replicas
    full = play.inject(FullDisk(follower, partition.where))

    def refused() -> bool:
        partition.send(200, BIG, to=leader)
        return not play.cluster.nodes.running(follower)

    partition.await_state("an append has failed, and the broker halted", refused, timeout_s=60)
    assert "File too large" in play.cluster.files.server_log(follower).read_text()
    play.heal(full)
    partition.await_isr(*partition.replicas)


def test_no_segment_is_made_in_a_directory_that_is_read_only(
    play: Play, partition: Partition
) -> None:
    _, follower, _ = partition.replicas
    directory = play.cluster.files.log_dir(follower) / str(partition.where)
    mode = directory.stat().st_mode
    partition.require_acked(partition.send(1))  # the first one of an epoch writes a file

    locked = play.inject(ReadOnlyDirectory(follower, partition.where))

    assert "Permission denied" in locked.proof["making a file"]
    partition.require_acked(partition.send(1))
    play.heal(locked)
    assert directory.stat().st_mode == mode
    partition.await_offsets("it has gone on", {follower: 2})
