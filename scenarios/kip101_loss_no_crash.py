"""KIP-101, scenario 1, without any failure: two leader elections of the preferred kind."""

from highwater.faults.block_link import BlockLink
from highwater.faults.delay_requests import DelayRequests
from highwater.faults.hold_answers import HoldAnswers
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
def kip101_loss_no_crash(play: Play, partition: Partition) -> None:
    """Acknowledged by three replicas of three, lost although nobody died or restarted.

    Three replicas, acks=all, min.insync.replicas=2. The followers have the batch but not the news
    that it is committed. Leadership moves to the heir by a preferred election. The laggard cuts its
    log back to its old high watermark; the old leader follows, and hears one that is just as old.
    Leadership moves on to the laggard, still in the ISR, and the others cut their logs as well.

    From 0.11 on a follower asks its new leader where the epoch ended, and nothing is cut.
    """
    leader, heir, laggard = partition.replicas
    base = partition.send(1)
    partition.prefer(heir, laggard, leader)
    everywhere = dict.fromkeys(partition.replicas, base.end_offset)
    partition.await_offsets("one record, committed on all three", everywhere, everywhere)

    play.inject(DelayRequests(leader, laggard))  # apart: see KAFKA-6653
    blocked = play.inject(BlockLink(follower=laggard, leader=heir))
    held = play.inject_each(HoldAnswers(leader, each) for each in (heir, laggard))
    batch = partition.send(10, to=leader)
    partition.require_acked(batch)
    end, behind = batch.end_offset, base.end_offset
    partition.require_offsets(
        "all three have the batch, only the leader knows that it is committed",
        ends=dict.fromkeys(partition.replicas, end),
        high_watermarks={leader: end, heir: behind, laggard: behind},
    )

    partition.move_leader(heir)
    partition.await_leader(heir, isr=partition.replicas)
    play.await_standing([blocked])
    play.heal(*held)
    partition.await_offsets(
        "the old leader follows the heir, and has its high watermark",
        ends={heir: end},
        high_watermarks={leader: behind, heir: behind},
    )

    partition.move_leader(laggard)
    partition.await_leader(laggard, isr=partition.replicas)
