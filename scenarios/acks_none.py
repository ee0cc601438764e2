"""acks=0: sent, and that is all that anybody knows."""

from highwater.faults.kill import Kill
from highwater.faults.pause import Pause
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.harness.workloads.producer import ProducerSettings

ACKS_NONE = ProducerSettings(acks="0", retries=0)
LOST = 100  # records, at the least


@scenario(
    source="Kafka's documentation, 3.3: acks",
    claims=("lost-write", "replica-divergence"),
    tolerates={
        "committed-truncation": "until 0.11 a broker that starts cuts its log where it knows it "
        "committed, and is sent the rest again (KIP-101)"
    },
    topic_settings={"min.insync.replicas": "2"},
)
def acks_none(play: Play, partition: Partition) -> None:
    """A hundred records are sent with acks=0; the client is content, and no broker gets them.

    Their leader has stopped to read when they arrive, and then it dies. The client has called every
    one of them sent, nobody tells it otherwise, and it never sends one again.
    """
    leader = partition.replicas[0]
    with play.load(play.topics[0], rate_per_s=200, settings=ACKS_NONE) as load:
        load.await_acked(50)
        partition.await_state("some arrive", lambda: partition.log_end_offset(leader) > 0)
        paused = play.inject(Pause(leader))
        load.await_acked(2 * LOST)  # of which a few had been sent before, and not been counted
        dead = play.inject(Kill(leader))
        elected = partition.await_deposed(leader).leader
    end = partition.log_end_offset(elected)
    partition.require(
        f"{load.acked} records were called sent, none failed, and {LOST} are not there",
        load.failed == 0 and load.acked - end >= LOST,
        log_end_offset=end,
    )
    play.heal(dead, paused)
