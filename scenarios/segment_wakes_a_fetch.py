"""Where the high watermark stands in the segment files, as far as a reader can see it."""

from highwater.harness.clients.settings import ConsumerSettings
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.harness.workloads.producer import ProducerSettings

SEGMENT_BYTES = 1 << 20  # from 4.0 on no segment is smaller
RECORD_BYTES, FEW, MORE = 1_000, 100, 1_200
KILOBYTE = ProducerSettings(size_bytes=RECORD_BYTES)
WAIT_S, PARKED_S = 50, 5.0
PATIENT = ConsumerSettings(
    library={"fetch.min.bytes": 50_000_000, "fetch.wait.max.ms": WAIT_S * 1000}
)


@scenario(
    source="kafka.server.DelayedFetch; LogOffsetMetadata.onOlderSegment",
    claims=("lost-write", "poll-skip"),
    replicas=2,
    topic_settings={"min.insync.replicas": "2", "segment.bytes": str(SEGMENT_BYTES)},
)
def segment_wakes_a_fetch(play: Play, partition: Partition) -> None:
    """A reader that waits for more than there is gets what there is when a segment is rolled.

    It asks for 50 MB at least, or for what there is after 50 s. A hundred records are committed,
    and it goes on waiting. Then so many are that a new segment begins: the high watermark stands in
    that one, and the fetch in an older one, and it is answered at once with a megabyte.
    """
    directory = play.cluster.files.log_dir(partition.leader) / str(partition.where)

    def segments() -> int:
        return len(list(directory.glob("*.log")))

    with play.group("reads", play.topics[0], settings=PATIENT) as group:
        group.await_assigned()
        few = partition.send(FEW, KILOBYTE)
        partition.require_acked(few)
        until_ns = play.record.now_ns() + int(PARKED_S * 1e9)
        partition.await_state("some seconds", lambda: play.record.now_ns() > until_ns)
        partition.require("one segment", segments() == 1)
        partition.require("nothing was handed out", group.handed == 0, handed=group.handed)
        partition.require_acked(partition.send(MORE, KILOBYTE))
        partition.require("a new segment has begun", segments() > 1)
        partition.await_state("it is handed some", lambda: group.handed > 0, WAIT_S / 2)
