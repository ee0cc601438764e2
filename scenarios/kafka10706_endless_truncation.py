"""KAFKA-10706: a follower cuts its log to where it ends, again and again, and never fetches."""

from highwater.faults.block_link import BlockLink
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.harness.workloads.producer import ProducerSettings

ACKS_ONE = ProducerSettings(acks="1")
PATIENT = ProducerSettings(delivery_timeout_s=32)  # longer than stalled-sends lets a send wait


@scenario(
    source="KAFKA-10706",
    reproduces=">=2.0.1,<2.6.1",
    plays_on=">=0.11",
    claims=("stalled-sends",),
    replicas=2,
    topic_settings={"min.insync.replicas": "2"},
)
def kafka10706_endless_truncation(play: Play) -> None:
    """Everybody is alive, connected and in sync, and no write is acknowledged any more.

    Two replicas. The first leader takes ten records of acks=1 that the second one cannot fetch.
    Leadership moves to the second one, which notes a leader epoch that begins where its log ends,
    and moves back before anything is written in it. As a follower the second one asks where its
    last epoch ended, hears of an older one, and cuts its log to where that ended: that is where its
    log ends, so there is nothing to cut, and up to 2.6.0 the epoch without records stays. It asks
    again, for ever, and fetches nothing; acks=all waits for it.

    From 2.6.1 on what is noted goes, even if no record does. Up to 2.0.0 nothing was noted before
    the first record of an epoch (KAFKA-7415).
    """
    first, second = play.replicas
    base = play.send(5).end_offset
    everywhere = dict.fromkeys(play.replicas, base)
    play.prefer(second, first)
    play.await_offsets("five records, committed on both", everywhere, everywhere)

    away = play.inject(BlockLink(follower=second, leader=first))
    play.await_standing([away])
    play.send(10, ACKS_ONE, one_batch=False, to=first)
    back = play.inject(BlockLink(follower=first, leader=second))
    play.move_leader(second)
    play.await_leader(second, isr=play.replicas)
    play.await_standing([back])
    play.move_leader(first)
    play.await_leader(first, isr=play.replicas)
    play.require_offsets("nobody has cut anything", {first: base + 10, second: base})
    play.heal(away, back)

    if not play.send(1, PATIENT, to=first).all_acked:
        play.step("an election frees it: whoever leads has nothing to cut")
        play.move_leader(second)
        play.await_isr(*play.replicas)
