"""A move of a replica whose target dies before it has caught up."""

from highwater.faults.block_link import BlockLink
from highwater.faults.kill import Kill
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.scenarios.acts.let_in_too_early import LET_IN_TOO_EARLY, ON_2_8_0
from highwater.scenarios.acts.meanwhile import LEADER_MOVES, sent_to_meanwhile
from highwater.scenarios.acts.unfinished_move import await_moved, begin_move, is_under_way


@scenario(
    source="Kafka's documentation, 6.1: Expanding your cluster; KIP-455",
    claims=("lost-write", "replica-divergence"),
    replicas=2,
    topic_settings={"min.insync.replicas": "2"},
    tolerates={**LEADER_MOVES, **LET_IN_TOO_EARLY},
    tolerated_on=ON_2_8_0,
)
def target_dies_halfway(play: Play, partition: Partition) -> None:
    """A move waits for its target: who had the replica serves it until the new one is in sync.

    A replica is to move to a third broker, which has begun to fetch, and has nothing yet. It is
    killed, while records come in. The move stays asked for, and nobody misses anything: both old
    replicas are in sync, and what is sent is acknowledged by both. The target comes back and goes
    on where it was. With that the move is complete, and only then is the old replica deleted.
    """
    before = leaving, staying = partition.replicas
    new = next(each for each in play.cluster.brokers if each not in partition.replicas)
    old = play.cluster.files.log_dir(leaving) / str(partition.where)
    blocked = play.inject(BlockLink(follower=new, leader=leaving))
    with sent_to_meanwhile(play, play.topics[0], partition) as load:
        begin_move(play, partition, staying, new)
        play.await_standing([blocked])
        partition.await_state("the move is under way", lambda: is_under_way(partition, before))
        dead = play.inject(Kill(new))
        load.await_acked(100)
        still, listed = is_under_way(partition, before), partition.state().replicas
        what = "it is under way still: the old ones are in sync, and one leads"
        partition.require(what, still, replicas=listed)
        partition.require("the old replica is there", old.exists())
        play.heal(dead, blocked)
        await_moved(play, partition)
        partition.await_state("the old replica is gone", lambda: not old.exists(), 60)
    batch = partition.send(1)
    partition.require_acked(batch)
    partition.await_offsets("the new one has all", dict.fromkeys((staying, new), batch.end_offset))
