"""Two leaders at once: what each of them acknowledges, and what becomes of it."""

from highwater.faults.hold_decisions import HoldDecisions
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.harness.workloads.requests import Acks
from highwater.scenarios.acts.at_first import one_everywhere
from highwater.scenarios.acts.broker_says import says
from highwater.scenarios.acts.let_in_too_early import LET_IN_TOO_EARLY, ON_2_8_0


@scenario(
    source="Kafka Detailed Replication Design V3; Partition.maybeShrinkIsr; KIP-497",
    claims=("lost-write", "replica-divergence", "high-watermark-regression"),
    settings={"replica.lag.time.max.ms": "3000", "broker.session.timeout.ms": "60000"},
    gated_metadata=True,
    topic_settings={"min.insync.replicas": "2"},
    tolerates=LET_IN_TOO_EARLY,
    tolerated_on=ON_2_8_0,
)
def zombie_leader(play: Play, partition: Partition) -> None:
    """The old leader takes ten records with acks=1, all of them lost, and none with acks=all.

    Another replica has been elected, and the old leader is not told. Nobody fetches from it any
    more, so it would put its followers out of the ISR, and commit alone. It may not: the state has
    another version, and the controller another leader epoch. Nor does it learn from that who leads:
    it leads on, and commits nothing, until it is told. The new one puts it out meanwhile, and
    commits. Then the old one cuts off what it has taken.
    """
    old, new, other = partition.replicas
    where, request = partition.where, play.scene.request
    play.bring_controller_home()
    partition.prefer(new, old, other)
    base = one_everywhere(partition)
    unaware = play.inject(HoldDecisions(old))
    partition.move_leader(new)
    partition.await_leader(new, isr=partition.replicas)
    partition.require("two of them lead", play.cluster.probe(old).leads(where))

    alone, waiting = request(where, old, 10, Acks.ONE), request(where, old, 1, Acks.ALL)
    request(where, new, 5, Acks.ALL)
    partition.await_isr(new, other)
    kept = request(where, new, 1, Acks.ALL)  # in 2.7 to 3.0 nothing moves on before (KAFKA-13091)
    partition.await_state("the new one commits", lambda: bool(kept.acked))
    partition.await_state("the old one is asked no more", lambda: alone.is_over and waiting.is_over)
    partition.require("it took ten with acks=1", alone.offset >= base, error=alone.error)
    partition.require("none with acks=all", not waiting.acked, error=waiting.error)
    partition.await_state(
        "it would put the others out", lambda: says(play, old, where.topic, "Shrinking ISR")
    )
    partition.require("it may not", partition.state().isr == tuple(sorted((new, other))))
    partition.require("it leads on", play.cluster.probe(old).leads(where))
    ends = {old: base + 11, new: base + 6, other: base + 6}
    partition.require_offsets("and commits nothing", ends, {old: base, new: base + 6})
    play.heal(unaware)
    partition.await_isr(*partition.replicas)
    end = dict.fromkeys(partition.replicas, base + 6)
    partition.await_offsets("what it took is gone", end, end)
