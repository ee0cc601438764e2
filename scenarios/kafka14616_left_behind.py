"""KAFKA-14616: a broker that finds the directory of an older topic of the name never follows."""

from highwater.faults.stop import Stop
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.scenarios.acts.left_out import comes_in_or_is_left
from highwater.scenarios.acts.recreation import recreated

TWO = {"min.insync.replicas": "2"}


@scenario(
    source="KAFKA-14616; KIP-516",
    reproduces=">=3.0,<3.7",
    plays_on=">=3.0",  # older ones do not look at the topic id: see recreated-while-away
    modes=("kraft",),
    claims=("left-behind",),
    topic_settings=TWO,
)
def kafka14616_left_behind(play: Play, partition: Partition) -> None:
    """A topic is deleted and created again while a broker is away, which then never follows it.

    Three replicas; a broker stops, and its replica is taken from it. The topic is deleted, and
    created again under its name, with a replica on that broker. It comes back, lives, answers, and
    its directory is of the topic that is no more. Up to 3.6 it refuses to follow: the partition
    has two replicas of three, and nobody is told, until the broker is started once more, somebody
    takes the replica from it, or something else of the partition changes.

    From 3.7 on it removes a directory that is none of the topic's when it starts, and follows.
    """
    *there, away = partition.replicas
    partition.require_acked(partition.send(1))
    stopped = play.inject(Stop(away))
    again = recreated(play, partition, there, TWO)
    play.heal(stopped)
    if not comes_in_or_is_left(play, again, away):
        again.move_replicas(*there)
