"""KAFKA-10706: a follower cuts its log to where it ends, again and again, and never fetches."""

from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.harness.workloads.producer import ProducerSettings
from highwater.scenarios.acts.unfetched_leaders import second_leads_unfetched

PATIENT = ProducerSettings(delivery_timeout_s=32)  # longer than stalled-sends lets a send wait


@scenario(
    source="KAFKA-10706",
    reproduces=">=2.0.1,<2.6.1",
    plays_on=">=0.11",
    claims=("stalled-sends",),
    replicas=2,
    topic_settings={"min.insync.replicas": "2"},
)
def kafka10706_endless_truncation(play: Play, partition: Partition) -> None:
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
    first, second = partition.replicas
    apart = second_leads_unfetched(play, partition)
    play.await_standing([apart.back])
    partition.move_leader(first)
    partition.await_leader(first, isr=partition.replicas)
    partition.require_offsets(
        "nobody has cut anything", {first: apart.base + 10, second: apart.base}
    )
    play.heal(apart.away, apart.back)

    if not partition.send(1, PATIENT, to=first).all_acked:
        play.step("an election frees it: whoever leads has nothing to cut")
        partition.move_leader(second)
        partition.await_isr(*partition.replicas)
