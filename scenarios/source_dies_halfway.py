"""A move of a replica that is fetched from a leader who dies before it is complete."""

from highwater.faults.block_link import BlockLink
from highwater.faults.kill import Kill
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.scenarios.acts.meanwhile import sent_to_meanwhile
from highwater.scenarios.acts.unfinished_move import await_moved, begin_move, is_under_way


@scenario(
    source="Kafka's documentation, 6.1: Expanding your cluster; KIP-455",
    claims=("lost-write", "replica-divergence"),
    replicas=2,
    topic_settings={"min.insync.replicas": "2"},
)
def source_dies_halfway(play: Play, partition: Partition) -> None:
    """A move goes on from whoever leads next: its target has nothing yet when its source is dead.

    Records come in all the while. The leader's own replica is to move to a third broker, which has
    begun to fetch from it, and is answered nothing. Then the leader is killed. The other replica
    has all that was acknowledged, and leads; the target fetches from it, and with that the move is
    complete, though whoever is to give its replica up is dead. What waited meanwhile is
    acknowledged by the two that have it now.
    """
    before = leaving, staying = partition.replicas
    new = next(each for each in play.cluster.brokers if each not in before)
    blocked = play.inject(BlockLink(follower=new, leader=leaving))
    with sent_to_meanwhile(play, play.topics[0], partition):
        begin_move(play, partition, staying, new)
        play.await_standing([blocked])
        partition.await_state("the move is under way", lambda: is_under_way(partition, before))
        end = partition.log_end_offset(leaving)
        partition.require("its target has nothing", partition.log_end_offset(new) == 0, end=end)
        dead = play.inject(Kill(leaving))
        partition.await_leader(staying)
        await_moved(play, partition)
    batch = partition.send(1)
    partition.require_acked(batch)
    partition.await_offsets("the target has all", dict.fromkeys((staying, new), batch.end_offset))
    play.heal(dead, blocked)
