"""KIP-101, scenario 1, in a rolling restart: two brokers are restarted in the orderly way."""

from highwater.faults.block_link import BlockLink
from highwater.faults.delay_requests import DelayRequests
from highwater.faults.hold_answers import HoldAnswers
from highwater.faults.stop import Stop
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario


@scenario(
    source="KIP-101, KAFKA-1211",
    reproduces="<0.11",
    restored_by=("ibp=0.11.0-IV1",),
    ablations=("BlockLink",),
    claims=("lost-write",),
    topic_settings={"min.insync.replicas": "2"},
    tolerates={"committed-truncation": "it is how the records are lost"},
)
def kip101_loss_rolling_restart(play: Play, partition: Partition) -> None:
    """A rolling restart: one broker at a time, in order, and acknowledged records are gone.

    Three replicas, acks=all, min.insync.replicas=2. The followers have the batch but not the news
    that it is committed. The leader is restarted: it hands leadership to the heir, stops, comes
    back, joins the ISR, and hears a high watermark just as old. The laggard, still in the ISR, has
    cut its log back to its own and could not fetch yet. All three are in the ISR when the heir is
    restarted: it hands leadership to the laggard, and the others cut their logs as well.

    From 0.11 on a follower asks its new leader where the epoch ended, and nothing is cut.
    """
    leader, heir, laggard = partition.replicas
    base = partition.send(1)
    partition.prefer(heir, laggard, leader)
    one = dict.fromkeys(partition.replicas, base.end_offset)
    partition.await_offsets("one record, committed on all three", one, one)

    play.inject(DelayRequests(leader, laggard))  # apart: see KAFKA-6653
    blocked = play.inject(BlockLink(follower=laggard, leader=heir))
    held = play.inject_each(HoldAnswers(leader, each) for each in (heir, laggard))
    batch = partition.send(10, to=leader)
    partition.require_acked(batch)
    partition.require_offsets(
        "all have the batch, only the leader knows that it is committed",
        ends=dict.fromkeys(partition.replicas, batch.end_offset),
        high_watermarks={**one, leader: batch.end_offset},
    )

    away = play.inject(Stop(leader))
    partition.await_leader(heir, isr=(heir, laggard))
    play.await_standing([blocked])
    play.heal(away, *held)
    partition.await_isr(*partition.replicas)
    partition.await_offsets("back, with a high watermark as old", {heir: batch.end_offset}, one)

    play.inject(Stop(heir))
    partition.await_leader(laggard, isr=(leader, laggard))
