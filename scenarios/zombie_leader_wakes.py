"""A leader is frozen until another one leads, and goes on: what both of them acknowledge."""

from highwater.faults.hold_decisions import HoldDecisions
from highwater.faults.pause import Pause
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
def zombie_leader_wakes(play: Play, partition: Partition) -> None:
    """A frozen leader takes what lay before it: acks=1 is lost, acks=all is not acknowledged.

    It stands still (SIGSTOP) as in a very long garbage collection, and is sent to. Its session
    ends, and another one leads and commits. Then it goes on where it was, and what the controller
    has decided is on its way to it still: it answers ten records with acks=1, and cannot commit the
    one with acks=all. Told at last, it cuts off what it has taken.
    """
    _, old, _ = partition.replicas
    play.bring_controller_home()  # another broker is the controller, and is not frozen
    partition.move_leader(old)
    partition.await_leader(old, isr=partition.replicas)
    base = one_on_all(partition)
    unaware = play.inject(HoldDecisions(old))
    frozen = play.inject(Pause(old))
    sent = asked(play, partition, old)
    committed_by_another(play, partition, old)
    play.heal(frozen)
    took_and_committed_nothing(play, partition, old, base, sent)
    play.heal(unaware)
    cut_off(partition, base)
