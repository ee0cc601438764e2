"""A leader that nobody reaches but its clients leads on: what it and the next one acknowledge."""

from highwater.faults.isolate import Isolate
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.scenarios.acts.let_in_too_early import LET_IN_TOO_EARLY, ON_2_8_0
from highwater.scenarios.acts.two_leaders import (
    asked,
    committed_by_another,
    cut_off,
    one_on_all,
    took_and_committed_nothing,
)


@scenario(
    source="Kafka Detailed Replication Design V3; Partition.maybeShrinkIsr; KIP-497",
    claims=("lost-write", "replica-divergence", "high-watermark-regression"),
    settings={"replica.lag.time.max.ms": "3000"},
    gated_metadata=True,
    topic_settings={"min.insync.replicas": "2"},
    tolerates=LET_IN_TOO_EARLY,
    tolerated_on=ON_2_8_0,
)
def zombie_leader_alone(play: Play, partition: Partition) -> None:
    """The old leader takes ten records with acks=1, all of them lost, and none with acks=all.

    It is cut off from all brokers, and from whoever keeps the metadata; clients reach it. Its
    session ends, another one is elected, and it hears nothing of that: it leads on as long as it is
    alone. It may put nobody out of the ISR, as nobody writes that down for it, and so commits
    nothing. When it is let in again it cuts off what it has taken.
    """
    old = partition.replicas[0]
    base = one_on_all(partition)
    alone = play.inject(Isolate(old))
    sent = asked(play, partition, old)
    committed_by_another(play, partition, old)
    took_and_committed_nothing(play, partition, old, base, sent)
    play.heal(alone)
    cut_off(partition, base)
