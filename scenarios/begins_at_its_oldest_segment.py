"""Where a log begins when nobody has deleted records: retention takes whole segments."""

from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.probes.many import OFFSET_OUT_OF_RANGE
from highwater.harness.probes.segments import base_offset_of, segment_files
from highwater.harness.probes.wire import AnswerError
from highwater.harness.scenario import scenario
from highwater.harness.workloads.producer import ProducerSettings

SEGMENT_BYTES = 1 << 20  # from 4.0 on no segment is smaller
RECORD_BYTES, RECORDS = 1_000, 3_500
DELETED_S = 60.0  # a broker begins with it half a minute after its start
BATCHES = ProducerSettings(
    size_bytes=RECORD_BYTES, batch_bytes=20_000, in_flight=5, delivery_timeout_s=60.0
)


@scenario(
    source="Kafka's documentation, topic configs: retention.bytes, segment.bytes",
    claims=("corrupt-value", "inconsistent-offsets"),
    replicas=1,  # each replica deletes its own, at times of its own
    settings={"log.retention.check.interval.ms": "500"},
    topic_settings={
        "min.insync.replicas": "1",
        "segment.bytes": str(SEGMENT_BYTES),
        "retention.bytes": str(SEGMENT_BYTES),
    },
)
def begins_at_its_oldest_segment(play: Play, partition: Partition) -> None:
    """Segments that are too many are deleted, the oldest first; the log begins with the next one.

    3,500 records of 1,000 bytes make four segments of a megabyte, and a megabyte is to be kept.
    What is deleted are whole segments, two of these: the log start offset is the one that the
    oldest which is left is named by. A record from before is out of range.
    """
    (leader,), where = partition.replicas, partition.where
    directory = play.cluster.files.log_dir(leader) / f"{where.topic}-{where.partition}"
    probe = play.cluster.probe(leader)
    partition.require_acked(partition.send(RECORDS, BATCHES))

    partition.await_state(
        "no more than two segments are left", lambda: len(segment_files(directory)) == 2, DELETED_S
    )
    oldest, newest = map(base_offset_of, segment_files(directory))
    partition.require("the first ones are gone", 0 < oldest < newest, segments=(oldest, newest))
    start = probe.log_start_offset(where)
    partition.require("it begins where the oldest does", start == oldest, start=start)
    try:
        partition.require("0 is gone", not probe.committed(where, 0))
    except AnswerError as error:
        partition.require("0 is out of range", error.code == OFFSET_OUT_OF_RANGE)
