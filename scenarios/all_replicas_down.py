"""All replicas are down: wait for one that was in sync, or take the first that comes."""

from highwater.faults.kill import Kill
from highwater.faults.stop import Stop
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.harness.workloads.producer import ProducerSettings

SHORTLY = ProducerSettings(acks="1", delivery_timeout_s=3)


@scenario(
    source="Kafka's documentation, 4.7: Unclean leader election: What if they all die?",
    reproduces=">=0.10",
    not_reproducible_on="kraft<3.9",  # the setting does nothing there: KAFKA-12670
    cured_by=("unclean=off",),
    claims=("lost-write",),
    topic_settings={"min.insync.replicas": "2", "unclean.leader.election.enable": "true"},
    tolerates={
        "committed-truncation": "it is how the records are lost",
        "inconsistent-offsets": "the one that came first takes a record in place of a lost one",
    },
)
def all_replicas_down(play: Play, partition: Partition) -> None:
    """They all die, and the one that died first comes back first.

    One replica is stopped. Ten records are acknowledged by the two that are left, as
    min.insync.replicas=2 demands; then these die as well. The first one returns: it was not in the
    ISR any more. With unclean leader election it leads and takes a record, and the ten are gone
    from the others as soon as these are back.

    With unclean.leader.election.enable=false the partition waits for a member of the ISR, however
    long that takes, and nothing is lost. KRaft, up to 3.8, does so whatever the setting says.
    """
    leader, second, first_down = partition.replicas
    base = partition.send(1)
    everywhere = dict.fromkeys(partition.replicas, base.end_offset)
    partition.await_offsets("one record, committed on all three", everywhere, everywhere)

    away = play.inject(Stop(first_down))
    partition.await_isr(leader, second)
    batch = partition.send(10)
    partition.require_acked(batch)
    both = dict.fromkeys((leader, second), batch.end_offset)
    partition.await_offsets("ten more on the two that are left", both)

    play.inject_each(Kill(each) for each in (leader, second))
    play.heal(away)
    partition.await_deposed(leader, second, clean=False)
    partition.send(1, SHORTLY, to=first_down)
