"""KAFKA-15489: a controller that hears no other voter goes on, and decides nothing."""

from highwater.faults.kill import Kill
from highwater.faults.partition_quorum import PartitionQuorum
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.harness.workloads.producer import ProducerSettings

PATIENT = ProducerSettings(delivery_timeout_s=40, linger_ms=50)  # five records are one batch


@scenario(
    source="KAFKA-15489; KIP-595",
    reproduces="<3.7",
    modes=("kraft",),
    ablations=("PartitionQuorum",),
    claims=("stalled-sends",),
    voters=3,
    gated_metadata=True,
    topic_settings={"min.insync.replicas": "2"},
)
def kafka15489_two_controllers(play: Play, partition: Partition) -> None:
    """Two controllers at once: the brokers stay with the one that can decide nothing.

    Three voters. The one that leads is cut off from the other two, and not from the brokers. The
    others elect one of themselves, and up to 3.6 the first does not notice: it answers the brokers,
    whose sessions go on there. A follower dies. The first controller writes down that it is fenced,
    and no majority ever has that; the ISR keeps the dead member, and records wait for it until the
    voters are together again.

    From 3.7 on a leader that has not heard from a majority for the fetch timeout and a half of it
    resigns, and the brokers find the other one.
    """
    leader, second, third = partition.replicas
    where = partition.where
    # One producer for all: the number of another one would come from the controller.
    with play.producer(PATIENT) as producer:
        producer.send(where, 1)
        producer.flush()
        everywhere = dict.fromkeys(partition.replicas, 1)
        partition.await_offsets("one record, committed on all three", everywhere, everywhere)
        first = play.await_quorum_leader()
        alone = play.inject(PartitionQuorum(first))
        play.await_quorum_leader(other_than=first)
        dead = play.inject(Kill(third))
        sent = producer.send(where, 5)
        producer.flush()
        said = "acknowledged" if sent.all_acked else "not acknowledged"
        living = dict.fromkeys((leader, second), 6)
        partition.require_offsets(f"whoever lives has all records; they are {said}", living)
        play.heal(alone)
    play.heal(dead)
    partition.await_isr(*partition.replicas)
