"""What a replica is on disk: a directory, its segments, and an index beside each."""

from pathlib import Path

from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.probes.indexes import index_of, read_index
from highwater.harness.probes.segments import base_offset_of, read_entries, segment_files
from highwater.harness.scenario import scenario
from highwater.harness.workloads.producer import ProducerSettings

SEGMENT_BYTES = 1 << 20  # from 4.0 on no segment is smaller
INDEX_EVERY_BYTES, RECORD_BYTES, RECORDS = 4_096, 1_000, 1_500
SMALL_BATCHES = ProducerSettings(
    size_bytes=RECORD_BYTES, batch_bytes=5_500, in_flight=5, delivery_timeout_s=60.0
)


@scenario(
    source="kafka.log.LogSegment.append, OffsetIndex; segment.bytes, index.interval.bytes",
    claims=("lost-write", "replica-divergence"),
    topic_settings={
        "min.insync.replicas": "2",
        "segment.bytes": str(SEGMENT_BYTES),
        "index.interval.bytes": str(INDEX_EVERY_BYTES),
    },
)
def segments_and_indexes(play: Play, partition: Partition) -> None:
    """Each replica is a directory named topic-number, with segments, and an index of each.

    1,500 records of 1,000 bytes make two segments of a megabyte, each named by the offset of its
    first record. An index says of one offset in some 4 kB where its batch lies, and never of the
    first: whoever wants an offset in between reads on from there.
    """
    partition.require_acked(partition.send(RECORDS, SMALL_BATCHES))
    everywhere = dict.fromkeys(partition.replicas, RECORDS)
    partition.await_offsets("all replicas have them", everywhere, everywhere)
    for broker in partition.replicas:
        directory = play.cluster.files.log_dir(broker) / f"{partition.where.topic}-0"
        segments = segment_files(directory)
        told = [f"{each.name}: {_indexed(partition, each)} entries" for each in segments]
        partition.require("two segments", len(segments) == 2, segments=told)
        play.step(f"broker {broker} has {', '.join(told)}")


def _indexed(partition: Partition, segment: Path) -> int:
    """How many entries its index has; each has to be the place of a batch with that offset."""
    places = {each.position: each.base_offset for each in read_entries(segment)}
    first, entries = base_offset_of(segment), [*read_index(index_of(segment))]
    partition.require("it is named by its first offset", places[0] == first, first=places[0])
    for at, each in enumerate(entries):
        following = [*entries[at + 1 : at + 2]]
        found = places.get(each.position, RECORDS) <= each.offset
        apart = all(later.position - each.position > INDEX_EVERY_BYTES for later in following)
        partition.require("an entry for some 4 kB", found and apart, entry=each, next=following)
    return len(entries)
