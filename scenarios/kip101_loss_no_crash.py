"""KIP-101, scenario 1, without any failure: two leader elections of the preferred kind."""

from highwater.faults.block_link import BlockLink
from highwater.faults.delay_requests import DelayRequests
from highwater.faults.hold_answers import HoldAnswers
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
def kip101_loss_no_crash(play: Play) -> None:
    """Acknowledged by three replicas of three, lost although nobody died or restarted.

    Three replicas, acks=all, min.insync.replicas=2. The followers have the batch but not the news
    that it is committed. Leadership moves to the heir by a preferred election. The laggard cuts its
    log back to its old high watermark; the old leader follows, and hears one that is just as old.
    Leadership moves on to the laggard, still in the ISR, and the others cut their logs as well.

    From 0.11 on a follower asks its new leader where the epoch ended, and nothing is cut.
    """
    leader, heir, laggard = play.replicas
    base = play.send(1)
    play.prefer(heir, laggard, leader)
    everywhere = dict.fromkeys(play.replicas, base.end_offset)
    play.await_offsets("one record, committed on all three", everywhere, everywhere)

    play.inject(DelayRequests(leader, laggard))  # apart: see KAFKA-6653
    blocked = play.inject(BlockLink(follower=laggard, leader=heir))
    held = play.inject_each(HoldAnswers(leader, each) for each in (heir, laggard))
    batch = play.send(10, to=leader)
    play.require_acked(batch)
    end, behind = batch.end_offset, base.end_offset
    play.require_offsets(
        "all three have the batch, only the leader knows that it is committed",
        ends=dict.fromkeys(play.replicas, end),
        high_watermarks={leader: end, heir: behind, laggard: behind},
    )

    play.move_leader(heir)
    play.await_leader(heir, isr=play.replicas)
    play.await_standing([blocked])
    play.heal(*held)
    play.await_offsets(
        "the old leader follows the heir, and has its high watermark",
        ends={heir: end},
        high_watermarks={leader: behind, heir: behind},
    )

    play.move_leader(laggard)
    play.await_leader(laggard, isr=play.replicas)
