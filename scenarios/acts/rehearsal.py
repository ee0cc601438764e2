"""A rolling upgrade while records are sent, with a trap for every node and every step of it."""

from collections.abc import Mapping
from functools import partial

from highwater.faults.kill import Kill
from highwater.harness.clients.load import Load
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.topic import Topic
from highwater.harness.versions.catalogue import Kafka
from highwater.harness.versions.upgrading import STEPS, Step, first_level
from highwater.scenarios.acts.upgraded import laggard_is_elected

BEFORE = "before"  # what the trap of the first release is called; the others are called as steps
LOADED = "load"  # the topic that is sent to meanwhile


def rehearse(play: Play, partition: Partition, release: str) -> None:
    """Each broker that has come back leads, with followers of both releases, and then dies.

    Before the first step and after each one a laggard is elected, on a topic of its own, while
    nobody sends: what that loses is lost by the brokers as they are then.
    """
    trap(play, partition, BEFORE)
    loaded = play.topic(LOADED, partitions=3)
    for step in steps_from(play.cluster.kafka, play.cluster.spec.settings):
        with play.load(loaded, rate_per_s=100.0) as load:
            load.await_acked(100)
            play.rolling_upgrade(release, step, partial(leads_and_dies, play, loaded, load))
            load.await_acked(100)
        trap(play, play.topic(step)[0], step)


def steps_from(kafka: Kafka, settings: Mapping[str, str]) -> tuple[Step, ...]:
    """From 0.11 on nobody has to say the message format."""
    return STEPS if first_level(kafka, settings).format else STEPS[:-1]


def leads_and_dies(play: Play, loaded: Topic, load: Load, node: int) -> None:
    """One that has just come back as another release, or as one that speaks otherwise."""
    if node not in play.cluster.brokers:  # it keeps metadata, and leads nothing that is sent to
        return
    one = loaded[0]
    one.move_leader(node)
    one.await_leader(node, isr=one.replicas)
    load.await_acked(50)
    play.step(f"trap: broker {node} leads {one.where}, and dies")
    play.restart(Kill(node))
    for each in loaded:
        each.await_isr(*each.replicas)
    load.await_acked(50)


def trap(play: Play, partition: Partition, step: str) -> None:
    """KIP-101's: who is elected has to keep what it has not heard to be committed."""
    play.step(f"trap {step}: a laggard is elected on {partition.where}")
    laggard_is_elected(play, partition)
    play.heal()
    partition.await_isr(*partition.replicas)
