"""Whether a follower that lags can ever catch up."""

from highwater.faults.limit_link import LimitLink
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.harness.workloads.producer import ProducerSettings

THIN_BYTES_PER_S = 200_000
FAST_PER_S, SLOW_PER_S = 300, 20  # records of a thousand bytes
# Not held up where a smaller ISR commits nothing by itself: 2.7 to 3.0 (KAFKA-13091).
KILOBYTE = ProducerSettings(acks="1", size_bytes=1000, linger_ms=5)


@scenario(
    source="Kafka Detailed Replication Design V3; replica.lag.time.max.ms (KIP-16)",
    claims=("lost-write", "replica-divergence"),
    settings={"replica.lag.time.max.ms": "1500"},
    topic_settings={"min.insync.replicas": "2"},
)
def too_slow_to_follow(play: Play, partition: Partition) -> None:
    """Less fits through a thin line than is written, and a follower lags further and further.

    It leaves the ISR, and as long as so much is written it does not come back, though it fetches
    all the time: what it lacks grows. Then less is written than the line takes, the line as thin as
    before, and it catches up, and is in the ISR again while records come in.
    """
    leader, quick, slow = partition.replicas
    partition.require_acked(partition.send(1))
    thin = play.inject(LimitLink(slow, leader, THIN_BYTES_PER_S))

    def lacking() -> int:
        return partition.log_end_offset(leader) - partition.log_end_offset(slow)

    with play.load(play.topics[0], FAST_PER_S, KILOBYTE) as load:
        partition.await_isr(leader, quick)
        least, had = lacking(), partition.log_end_offset(slow)
        partition.await_state("it lacks more and more", lambda: lacking() > 1.5 * least)
        partition.await_state(
            "and fetches all the time", lambda: partition.log_end_offset(slow) > had
        )
        partition.require("it is not in the ISR", partition.state().isr == (leader, quick))
        load.await_acked(FAST_PER_S)
    with play.load(play.topics[0], SLOW_PER_S, KILOBYTE) as load:
        partition.await_isr(*partition.replicas, timeout_s=60.0)
        partition.require("the line is thin all the while", thin.proof["delayed"] > 0)
        load.await_acked(SLOW_PER_S)
    play.heal(thin)
