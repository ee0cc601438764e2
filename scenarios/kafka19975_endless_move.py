"""KAFKA-19975: a move waits for a replica that it neither adds nor removes."""

from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.scenarios.acts.alone_with_ten import alone_with_ten
from highwater.scenarios.acts.seen_done import is_seen_done
from highwater.scenarios.acts.unfinished_move import await_moved, begin_move


@scenario(
    source="KAFKA-19975",
    reproduces=">=3.8,<4.3",
    modes=("kraft",),
    claims=("stuck-move",),
    replicas=2,
    topic_settings={"min.insync.replicas": "1"},
)
def kafka19975_endless_move(play: Play, partition: Partition) -> None:
    """A replica moves off a broker, is in sync where it went, and stays where it was as well.

    Of two replicas one is down, and was before anybody thought of a move. The other one is to be
    given to a third broker, which catches up and is in sync. From 3.8 on (KAFKA-15665) a move is
    done when all who are to have the partition are in sync. Who is down is one of them: the move
    waits for it, for as long as it stays away, and the broker that was to be emptied keeps its
    replica and leads. From 4.3 on a move waits for those only whom it adds, as it did up to 3.7,
    or for all where more go than come.

    When the broker comes back, the move is done everywhere.
    """
    old, absent = partition.replicas
    new = next(each for each in play.cluster.brokers if each not in partition.replicas)
    batch, down = alone_with_ten(play, partition)

    begin_move(play, partition, absent, new)
    partition.await_state("the new one is in sync", lambda: new in partition.state().isr)
    partition.await_offsets("with all ten", {new: batch.end_offset})
    is_seen_done(play, partition, gone=old)
    play.heal(*down)
    await_moved(play, partition)
