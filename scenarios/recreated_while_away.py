"""A broker is away while a topic is deleted and created again, and comes back with its old log."""

from highwater.faults.stop import Stop
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.scenarios.acts.recreation import comes_back, recreated

TWO = {"min.insync.replicas": "2"}


@scenario(
    source="KIP-516; KAFKA-12426; KAFKA-14616",
    reproduces="<3.0",
    claims=("lost-write", "replica-divergence", "phantom-read", "inconsistent-offsets"),
    topic_settings=TWO,
)
def recreated_while_away(play: Play, partition: Partition) -> None:
    """What was acknowledged in a topic of today is replaced by what stood in one of yesterday.

    Three replicas have three records. A broker stops, and its replica is taken from it; then the
    topic is deleted, and created again under its name: nobody waits for a broker that has no
    replica to delete. Five records are acknowledged there by the two brokers that live. The third
    comes back, and is a follower of the new topic with the directory of the old one.

    Before 3.0 all that it goes by is the name of the directory, and all that it compares is offsets
    and epochs, which begin at 0 again. It keeps three records that nobody has sent to this topic,
    fetches two, is in sync, and leads. From 3.0 on it looks whether the directory has the topic id
    that it is told (2.8 writes that down, and does not look at a start): it refuses to follow, and
    stays out of sync until somebody takes the replica from it, or the directory away. With KRaft it
    removes the directory itself from 3.7 on, when it starts.
    """
    *there, away = partition.replicas
    everywhere = dict.fromkeys(partition.replicas, 3)
    partition.require_acked(partition.send(3, one_batch=False))
    partition.await_offsets("all replicas have three records", everywhere, everywhere)
    stopped = play.inject(Stop(away))
    again = recreated(play, partition, there, TWO)
    again.require_acked(again.send(5, one_batch=False))
    play.heal(stopped)
    if comes_back(play, again, away):
        again.move_leader(away)
        again.await_leader(away)
    else:
        again.move_replicas(*there)
