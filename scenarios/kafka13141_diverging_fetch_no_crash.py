"""KAFKA-13141 with nobody dying: the records are lost in two elections of the preferred kind."""

from highwater.faults.block_link import BlockLink
from highwater.faults.hold_answers import HoldAnswers
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.harness.workloads.producer import ACKS_ONE
from highwater.scenarios.kafka13141_diverging_fetch import SHORTLY


@scenario(
    source="KAFKA-13141",
    reproduces="==2.8.0",
    cured_by=("ibp=2.6",),
    ablations=("BlockLink",),
    claims=("lost-write",),
    replicas=2,
    topic_settings={"min.insync.replicas": "2"},
    tolerates={
        "committed-truncation": "it is how the records are lost",
        "inconsistent-offsets": "where the lost records stood, records of acks=1 are left",
    },
)
def kafka13141_diverging_fetch_no_crash(play: Play, partition: Partition) -> None:
    """Acknowledged by two replicas of two, of which one never had the records; nobody dies.

    The leader has ten records of acks=1 that its follower cannot fetch, and the follower is made
    the leader. The old one follows and, since 2.8, fetches from the end of its own log; the answer,
    which tells it where the logs part, stands at the gate. 2.8.0 takes the offset that was asked
    for as proof that the follower has all that is below, and acknowledges three new records. Then
    the old leader is elected again, cleanly, with its ten records and without the three.

    From 2.8.1 on a fetch that is answered in this way counts for nothing.
    """
    old, new = partition.replicas
    base = partition.send(1).end_offset
    both = dict.fromkeys(partition.replicas, base)
    partition.await_offsets("one record, committed on both", both, both)
    late = play.inject(BlockLink(follower=new, leader=old))
    play.await_standing([late])
    partition.send(10, ACKS_ONE, to=old)
    partition.require_offsets("ten records are on the leader only", {old: base + 10, new: base})

    parting = play.inject(HoldAnswers(new, old, after_records=False, deliver=True))
    partition.move_leader(new)
    partition.await_leader(new, isr=partition.replicas)
    play.heal(late)
    play.await_standing([parting])
    if not partition.send(3, SHORTLY, to=new).all_acked:
        play.step("not acknowledged: the leader waits until the other one has what it leads with")
        play.heal(parting)
    partition.move_leader(old)
    partition.await_leader(old, isr=partition.replicas)
