"""KAFKA-7128 while nobody dies."""

from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.scenarios.acts.isr_expansion import IMPATIENT_LEADER, latecomer_fetches


@scenario(
    source="KAFKA-7128",
    plays_on=">=0.11,<2.1",
    reproduces=">=0.11,<=2.0.0",
    claims=("lost-write",),
    broker_settings=IMPATIENT_LEADER,
    topic_settings={"min.insync.replicas": "2"},
    tolerates={"committed-truncation": "it is how the records are lost"},
)
def kafka7128_isr_expansion_no_crash(play: Play, partition: Partition) -> None:
    """The same by two preferred elections: nobody dies, and acknowledged records are gone.

    Three replicas, acks=all, min.insync.replicas=2, clean elections only. One of them is late and
    has left the ISR. Leadership moves to a replica that has every record, and the latecomer fetches
    from it. It is let into the ISR as soon as it has reached the new leader's high watermark, which
    is one fetch old: the latecomer lacks five records that had been acknowledged, and is a member
    all the same. Leadership moves on to it, and all others cut their logs to match.

    From 2.0.1 on nobody joins before having reached the start of the leader's own epoch. (Before
    0.11 the broker that still has the records then hangs in its own exit, KAFKA-4039.)
    """
    act = latecomer_fetches(play, partition)
    if act.admitted:  # otherwise no leader can be moved to it, and there is no more to do
        partition.move_leader(act.latecomer)
        partition.await_leader(act.latecomer)
