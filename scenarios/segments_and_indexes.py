"""What a replica is on disk: a directory, its segments, and an index beside each."""

from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.probes.segments import segment_files
from highwater.harness.scenario import scenario
from highwater.harness.workloads.producer import ProducerSettings
from highwater.scenarios.acts.indexed import BATCH_BYTES, EVERY_BYTES, entries_of, is_dense

SEGMENT_BYTES = 1 << 20  # from 4.0 on no segment is smaller
RECORD_BYTES, RECORDS = 1_000, 1_500
SMALL_BATCHES = ProducerSettings(
    size_bytes=RECORD_BYTES, batch_bytes=BATCH_BYTES, in_flight=5, delivery_timeout_s=60.0
)


@scenario(
    source="kafka.log.LogSegment.append, OffsetIndex; segment.bytes, index.interval.bytes",
    claims=("lost-write", "replica-divergence"),
    topic_settings={
        "min.insync.replicas": "2",
        "segment.bytes": str(SEGMENT_BYTES),
        "index.interval.bytes": str(EVERY_BYTES),
    },
)
def segments_and_indexes(play: Play, partition: Partition) -> None:
    """Each replica is a directory named topic-number, with segments, and an index of each.

    1,500 records of 1,000 bytes make two segments of a megabyte, each named by the offset of its
    first record. An index has an entry for at most one append in 4 kB, and never for the first:
    where that begins, and an offset there or behind. From there on the others are looked for.
    """
    partition.require_acked(partition.send(RECORDS, SMALL_BATCHES))
    everywhere = dict.fromkeys(partition.replicas, RECORDS)
    partition.await_offsets("all replicas have them", everywhere, everywhere)
    for broker in partition.replicas:
        directory = play.cluster.files.log_dir(broker) / f"{partition.where.topic}-0"
        segments = segment_files(directory)
        told = [f"{each.name}: {entries_of(partition, each)} entries" for each in segments]
        partition.require("two segments", len(segments) == 2, segments=told)
        if broker == partition.leader:  # a follower appends all that it has fetched at once
            partition.require("an entry for some 4 kB", all(map(is_dense, segments)), told=told)
        play.step(f"broker {broker} has {', '.join(told)}")
