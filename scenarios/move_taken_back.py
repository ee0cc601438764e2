"""KIP-455: a move of a replica that is under way is called off."""

from highwater.faults.block_link import BlockLink
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.scenarios.acts.meanwhile import sent_to_meanwhile
from highwater.scenarios.acts.unfinished_move import begin_move, take_back_move


@scenario(
    source="KIP-455; KAFKA-13972",
    plays_on=">=2.4",
    turns_at=("2.6", "3.4.1"),
    claims=("lost-write", "replica-divergence"),
    replicas=2,
    topic_settings={"min.insync.replicas": "2"},
)
def move_taken_back(play: Play, partition: Partition) -> None:
    """A move that is not complete is taken back: all is as before, but for who is preferred.

    Records come in. A replica is to move to a third broker, which has begun to fetch, and has
    nothing yet. The controller is asked to forget about it. Who had the replicas before has them,
    and in sync; the leader is the same, and what the third broker had is deleted. One thing stays
    of the move: the replica that it would have preferred is preferred now.

    With ZooKeeper another one stays, from 2.6 to 3.4.0: what the third broker had. It ignores the
    order to delete that, which names no newer leader epoch than it knows (KAFKA-13972). Before 2.4
    nobody can take a move back.
    """
    before = partition.replicas
    leader = before[0]
    new = next(each for each in play.cluster.brokers if each not in before)
    begun = play.cluster.files.log_dir(new) / str(partition.where)
    blocked = play.inject(BlockLink(follower=new, leader=leader))
    with sent_to_meanwhile(play, play.topics[0], partition) as load:
        begin_move(play, partition, before[1], new)
        play.await_standing([blocked])
        partition.await_state(  # who is asked may not have heard of it yet
            "it is under way", lambda: new in partition.state().replicas and begun.exists()
        )
        load.await_acked(100)
        take_back_move(play, partition, before)
        order = partition.replicas
        partition.require("in the order of the move", order == before[::-1], replicas=order)
    play.heal(blocked)
    partition.await_leader(leader, isr=before)
    if not play.cluster.kafka.keeps_what_a_move_began:
        partition.await_state("what was begun is gone", lambda: not begun.exists(), 60)
    batch = partition.send(1)
    partition.require_acked(batch)
    partition.await_offsets("both have all", dict.fromkeys(before, batch.end_offset))
    stays = play.cluster.kafka.keeps_what_a_move_began
    partition.require(f"what was begun is there: {stays}", begun.exists() is stays)
