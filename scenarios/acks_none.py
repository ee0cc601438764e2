"""acks=0: sent, and that is all that anybody knows."""

from highwater.faults.hold_produce import HoldProduce
from highwater.faults.kill import Kill
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.harness.workloads.producer import ProducerSettings

ACKS_NONE = ProducerSettings(acks="0", retries=0)


@scenario(
    source="Kafka's documentation, 3.3: acks",
    plays_on=">=0.10.2",  # clients cannot be sent through the gate before
    claims=("lost-write", "replica-divergence"),
    gated_clients=True,
    topic_settings={"min.insync.replicas": "2"},
)
def acks_none(play: Play, partition: Partition) -> None:
    """A hundred records are sent with acks=0; the client is content, and no broker gets them.

    They stand in the network when their leader dies. The client has called every one of them sent,
    nobody tells it otherwise, and it never sends one again.
    """
    leader = partition.replicas[0]
    with play.load(play.topics[0], rate_per_s=200, settings=ACKS_NONE) as load:
        load.await_acked(50)
        partition.await_state("some arrive", lambda: partition.log_end_offset(leader) > 0)
        held = play.inject(HoldProduce(load.name))
        play.await_standing([held])
        sent = load.acked
        load.await_acked(100)
        dead = play.inject(Kill(leader))
    elected = partition.await_deposed(leader).leader
    end, called_sent = partition.log_end_offset(elected), load.acked
    partition.require(
        f"{called_sent - sent} records were called sent while they were held: none is there",
        end <= sent and load.failed == 0,
        log_end_offset=end,
    )
    play.heal(dead, held)
