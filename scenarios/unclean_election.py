"""unclean.leader.election.enable=true: to be available again is worth more than the records."""

from highwater.faults.block_link import BlockLink
from highwater.faults.kill import Kill
from highwater.faults.stop import Stop
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario


@scenario(
    source="unclean.leader.election.enable; KIP-106",
    reproduces=">=0.10",
    not_reproducible_on="kraft<3.9",  # the setting does nothing there: KAFKA-12670
    cured_by=("unclean=off",),
    claims=("lost-write",),
    topic_settings={"min.insync.replicas": "2", "unclean.leader.election.enable": "true"},
    tolerates={"committed-truncation": "it is how the records are lost"},
)
def unclean_election(play: Play, partition: Partition) -> None:
    """Acknowledged by a majority, lost because the third replica was there.

    One replica was down and has come back, but the link to the others stands still. Meanwhile ten
    records are acknowledged by those, as min.insync.replicas=2 demands. Both of them die. The third
    one is alive and has missed the ten records; it is elected all the same, and when the others
    return they cut their logs to its length.

    With unclean.leader.election.enable=false, the default since 0.11, nobody leads until one of the
    two is back, and nothing is lost. KRaft, up to 3.8, does so whatever the setting says.
    """
    leader, second, behind = partition.replicas
    base = partition.send(1)
    everywhere = dict.fromkeys(partition.replicas, base.end_offset)
    partition.await_offsets("one record, committed on all three", everywhere, everywhere)

    away = play.inject(Stop(behind))
    partition.await_isr(leader, second)
    play.inject_each(BlockLink(follower=behind, leader=each) for each in (leader, second))
    batch = partition.send(10)
    partition.require_acked(batch)
    play.heal(away)
    both = dict.fromkeys((leader, second), batch.end_offset)
    partition.await_offsets(
        "the third one is back, without the ten", {**both, behind: base.end_offset}
    )

    play.inject_each(Kill(each) for each in (leader, second))
    partition.await_deposed(leader, second, clean=False)
