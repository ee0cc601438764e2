"""KIP-101, scenario 1, when nothing is withheld: the fetches just wait, as they always do."""

from highwater.faults.block_link import BlockLink
from highwater.faults.delay_requests import DelayRequests
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario


@scenario(
    source="KIP-101, KAFKA-1211; replica.fetch.wait.max.ms",
    reproduces="<0.11",
    restored_by=("ibp=0.11.0-IV1",),
    ablations=("BlockLink",),
    claims=("lost-write",),
    settings={"replica.fetch.wait.max.ms": "2000"},
    topic_settings={"min.insync.replicas": "2"},
    tolerates={"committed-truncation": "it is how the records are lost"},
)
def kip101_loss_parked_fetch(play: Play, partition: Partition) -> None:
    """Nobody dies and no answer is withheld: a patient fetch is enough, and records are gone.

    Three replicas, acks=all, min.insync.replicas=2. A follower that has everything asks for more,
    and the leader keeps the question for replica.fetch.wait.max.ms, if nothing new comes. Only the
    answer says that the last batch is committed. In this time leadership moves to the heir by a
    preferred election; one link is slow, so that the laggard cuts its log back to its old high
    watermark and cannot fetch yet. Leadership moves on to the laggard, which is in the ISR, and the
    others cut their logs as well.

    From 0.11 on a follower asks its new leader where the epoch ended, and nothing is cut.
    """
    leader, heir, laggard = partition.replicas
    base = partition.send(1)
    partition.prefer(heir, laggard, leader)
    one = dict.fromkeys(partition.replicas, base.end_offset)
    partition.await_offsets("one record, committed on all three", one, one)

    play.inject(DelayRequests(leader, laggard))  # apart: see KAFKA-6653
    blocked = play.inject(BlockLink(follower=laggard, leader=heir))
    batch = partition.send(10, to=leader)
    partition.require_acked(batch)
    partition.require_offsets(
        "all have the batch, only the leader knows that it is committed",
        ends=dict.fromkeys(partition.replicas, batch.end_offset),
        high_watermarks={**one, leader: batch.end_offset},
    )

    partition.move_leader(heir)
    partition.await_leader(heir, isr=partition.replicas)
    play.await_standing([blocked])
    partition.await_offsets("the high watermark is old everywhere", {heir: batch.end_offset}, one)

    partition.move_leader(laggard)
    partition.await_leader(laggard, isr=partition.replicas)
