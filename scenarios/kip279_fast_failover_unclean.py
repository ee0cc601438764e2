"""KIP-279 without any proxy, as Kafka's own tests once showed it."""

from highwater.faults.kill import Kill
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.harness.workloads.producer import ACKS_ONE, ProducerSettings

LARGE = ProducerSettings(acks="1", size_bytes=1000)
UNCLEAN = "the elections are unclean, and take what only the other replica had"
UNCUT = "older epochs' records are appended behind those that should have been cut"


@scenario(
    source="KIP-279, KAFKA-6361 (logsShouldNotDivergeOnUncleanLeaderElections)",
    plays_on=">=0.11",
    reproduces=">=0.11,<2.0",
    modes=("zookeeper", "kraft>=3.9"),  # before that nobody is elected uncleanly: KAFKA-12670
    claims=("replica-divergence",),
    replicas=2,
    topic_settings={"min.insync.replicas": "1", "unclean.leader.election.enable": "true"},
    tolerates={
        "committed-truncation": UNCLEAN,
        "lost-write": UNCLEAN,
        "leader-epoch-order": UNCUT,
        "epoch-checkpoint": UNCUT,
    },
)
def kip279_fast_failover_unclean(play: Play, partition: Partition) -> None:
    """Two brokers take turns in leading alone, and their logs differ for ever.

    Unclean elections are allowed. The brokers are never up together: each is killed before the
    other returns, leads by an unclean election, and appends. So each log has epochs that the other
    one has not, in between each other. When at last both are up, the follower's last epoch is
    unknown to the leader, whose answer is, up to 1.1, beyond the follower's log: it cuts nothing,
    or too little, and what is allowed to be lost is kept on one replica and differs from the other.

    From 2.0 on the logs are compared epoch by epoch, down to one that both of them have.
    """
    first, second = partition.replicas
    everywhere = dict.fromkeys(partition.replicas, partition.send(1, ACKS_ONE).end_offset)
    partition.await_offsets("one record, committed on both", everywhere, everywhere)

    down = play.inject(Kill(first))
    partition.await_leader(second, isr=(second,))
    partition.require_acked(partition.send(1, ACKS_ONE, to=second))
    for leader, count, settings in ((first, 3, LARGE), (second, 1, ACKS_ONE), (first, 2, LARGE)):
        other = second if leader == first else first
        taking_over = play.inject(Kill(other))
        play.heal(down)
        partition.await_leader(leader, isr=(leader,), clean=False)
        partition.require_acked(partition.send(count, settings, one_batch=False, to=leader))
        down = taking_over
    play.heal(down)
