"""KAFKA-13141: a leader counts on records that its follower is only being told to cut away."""

from highwater.faults.hold_answers import HoldAnswers
from highwater.faults.kill import Kill
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.harness.workloads.producer import ACKS_ONE, ProducerSettings

SHORTLY = ProducerSettings(delivery_timeout_s=5)


@scenario(
    source="KAFKA-13141",
    reproduces="==2.8.0",
    cured_by=("ibp=2.6",),
    claims=("lost-write",),
    replicas=2,
    topic_settings={"min.insync.replicas": "2"},
    tolerates={"inconsistent-offsets": "where the lost records stood, records of acks=1 are left"},
)
def kafka13141_diverging_fetch(play: Play, partition: Partition) -> None:
    """Acknowledged by two replicas of two, of which one never had the records.

    The leader has ten records of acks=1 that its follower has not fetched, and dies. The follower
    leads. The old leader returns and, since 2.8, fetches from the end of its own log; the answer
    carries no records but tells it where the logs part. That answer is under way while the leader
    in 2.8.0 takes the offset that was asked for as proof: the other one is back in the ISR, and
    three new records are acknowledged on the strength of it. The leader dies; the old one is
    elected, cleanly, with its ten records and without the three.

    From 2.8.1 on a fetch that is answered in this way counts for nothing.
    """
    old, new = partition.replicas
    base = partition.send(1)
    everywhere = dict.fromkeys(partition.replicas, base.end_offset)
    partition.await_offsets("one record, committed on both", everywhere, everywhere)

    unheard = play.inject(HoldAnswers(old, new, after_records=False))
    play.await_standing([unheard])
    end = partition.send(10, ACKS_ONE, to=old).end_offset
    partition.require_offsets(
        "ten records are on the leader only", {old: end, new: base.end_offset}
    )

    dead = play.inject(Kill(old))
    partition.await_leader(new, isr=(new,))
    parting = play.inject(HoldAnswers(new, old, after_records=False, deliver=True))
    play.heal(dead, unheard)
    play.await_standing([parting])
    batch = partition.send(3, SHORTLY, to=new)
    if not batch.all_acked:
        play.step("not acknowledged: the leader waits until the other one has what it leads with")
        play.heal(parting)
        partition.await_isr(old, new)
        partition.require_acked(partition.send(3, to=new))

    partition.await_isr(old, new)
    play.inject(Kill(new))
    partition.await_leader(old, isr=(old,))
