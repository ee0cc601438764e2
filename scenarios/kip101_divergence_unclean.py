"""KIP-101, scenario 2, with the settings that Kafka 0.10 came with: any replica may lead."""

from highwater.faults.kill import Kill
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.harness.workloads.producer import ACKS_ONE

UNCLEAN = "an unclean election takes what only the other replica had"


@scenario(
    source="KIP-101, scenario 2; KAFKA-1211",
    reproduces="<0.11",
    restored_by=("ibp=0.11.0-IV1",),
    modes=("zookeeper", "kraft>=3.9"),  # before that nobody is elected uncleanly: KAFKA-12670
    claims=("replica-divergence",),
    replicas=2,
    settings={"replica.high.watermark.checkpoint.interval.ms": "200"},
    topic_settings={"min.insync.replicas": "1", "unclean.leader.election.enable": "true"},
    tolerates={"committed-truncation": UNCLEAN},
)
def kip101_divergence_unclean(play: Play, partition: Partition) -> None:
    """Two deaths under default settings, and the two logs differ for ever.

    Two replicas, and unclean elections as in Kafka 0.10 by default. While the second broker is
    down, the first takes three records alone. It dies as well, the second returns, leads by an
    unclean election, and takes four records in the same place. The first one comes back with a
    shorter log than the leader's, all of it committed by its own account: before 0.11 it goes on
    fetching behind its old records, joins the ISR, and differs from the leader for ever. What such
    an election may lose is known; that the replicas disagree about it afterwards was not.

    From 0.11 on it learns by the leader epoch where the logs part, and cuts its own there.
    """
    first, second = partition.replicas
    base = partition.send(1, ACKS_ONE).end_offset
    everywhere = dict.fromkeys(partition.replicas, base)
    partition.await_offsets("one record, committed on both", everywhere, everywhere)

    down = play.inject(Kill(second))
    partition.await_leader(first, isr=(first,))
    end = partition.send(3, ACKS_ONE, one_batch=False, to=first).end_offset
    partition.await_checkpoint(first, end)
    dead = play.inject(Kill(first))
    play.heal(down)
    partition.await_leader(second, isr=(second,), clean=False)
    partition.require_acked(partition.send(4, ACKS_ONE, one_batch=False, to=second))
    partition.require_offsets("its log has grown past the other one's", {second: end + 1})
    play.heal(dead)
