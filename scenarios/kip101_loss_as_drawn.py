"""KIP-101, scenario 1, as the KIP draws it: two replicas, and the follower is restarted."""

from highwater.faults.block_link import BlockLink
from highwater.faults.hold_answers import HoldAnswers
from highwater.faults.kill import Kill
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario


@scenario(
    source="KIP-101, scenario 1; KAFKA-1211",
    reproduces="<0.11",
    restored_by=("ibp=0.11.0-IV1",),
    modes=("zookeeper", "kraft>=3.9"),  # before that nobody is elected uncleanly: KAFKA-12670
    claims=("lost-write",),
    replicas=2,
    settings={"replica.high.watermark.checkpoint.interval.ms": "200"},
    topic_settings={"min.insync.replicas": "1", "unclean.leader.election.enable": "true"},
    tolerates={"committed-truncation": "it is how the records are lost"},
)
def kip101_loss_as_drawn(play: Play, partition: Partition) -> None:
    """The follower restarts, the leader dies a moment later, and acknowledged records are gone.

    Two replicas have the batch, but the follower has not heard that it is committed: neither its
    memory nor its checkpoint file has the new high watermark. It is killed and comes back. Before
    0.11 it begins by cutting its log back to the old high watermark, to fetch the rest anew. The
    leader dies before it could, and the follower is elected. When the old leader returns, it
    follows and cuts its log as well.

    The KIP does not say that this election is an unclean one: whoever restarts has left the ISR.
    Before 0.11 unclean election was the default. From 0.11 on, under the very same faults, the
    follower asks before it cuts, and is elected with every record.
    """
    leader, follower = partition.replicas
    base = partition.send(1)
    both = dict.fromkeys(partition.replicas, base.end_offset)
    partition.await_offsets("one record, committed on both", both, both)
    partition.await_checkpoint(follower, base.end_offset)

    unheard = play.inject(HoldAnswers(leader, follower))
    batch = partition.send(10, to=leader)
    partition.require_acked(batch)
    partition.require_offsets(
        "both have the batch, only the leader knows that it is committed",
        ends=dict.fromkeys(partition.replicas, batch.end_offset),
        high_watermarks={leader: batch.end_offset, follower: base.end_offset},
    )

    blocked = play.inject(BlockLink(follower, leader))
    away = play.inject(Kill(follower))
    partition.await_isr(leader)
    play.heal(away, unheard)
    play.await_standing([blocked])
    partition.await_isr(leader)

    play.inject(Kill(leader))
    partition.await_leader(follower, isr=(follower,), clean=False)
