"""How large a record may be: for its producer, for a broker, for a topic."""

from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.harness.workloads.producer import ProducerSettings

LARGE_BYTES = 1_200_000
LARGE = ProducerSettings(size_bytes=LARGE_BYTES, retries=0)
LARGE_ALLOWED = ProducerSettings(size_bytes=LARGE_BYTES, retries=0, request_bytes=4_000_000)


@scenario(
    source="Kafka's documentation: max.request.size, message.max.bytes, max.message.bytes; KIP-74",
    plays_on=">=0.10.1",  # whoever reads less at once than a record has is stuck before (KIP-74)
    claims=("lost-write", "replica-divergence"),
    topic_settings={"min.insync.replicas": "2"},
)
def too_large(play: Play, partition: Partition) -> None:
    """A record of 1.2 MB is refused by its producer, then by the broker, and in the end written.

    The producer's own limit is a megabyte (`max.request.size` in Java, `message.max.bytes` in
    librdkafka), and what is larger never leaves it. Where it is raised the broker's is next
    (`message.max.bytes`), and it refuses the whole batch. A topic may have a limit of its own
    (`max.message.bytes`): there the record is written, copied to the followers, and read.
    """
    leader = partition.replicas[0]
    partition.require_acked(partition.send(1))
    end = partition.log_end_offset(leader)
    for whose, settings in (("producer", LARGE), ("broker", LARGE_ALLOWED)):
        refused = partition.send(1, settings)
        partition.require(
            f"the {whose}'s limit: it is refused, and nothing is written",
            refused.failed == ["MSG_SIZE_TOO_LARGE"] and partition.log_end_offset(leader) == end,
            errors=[*refused.failed, *refused.unknown],
        )
    roomy = play.topic("roomy", settings={"max.message.bytes": "2000000"})
    partition.require_acked(roomy[0].send(1, LARGE_ALLOWED))
    everywhere = dict.fromkeys(roomy[0].replicas, 1)
    roomy[0].await_offsets("all three have it", everywhere, everywhere)
    partition.require("a reader is handed it", roomy[0].read() == 1)
