"""KAFKA-12686: a leader waits for the answer to a request that it has never sent."""

from highwater.faults.hold_isr_change import HoldIsrChange
from highwater.faults.hold_requests import HoldRequests
from highwater.faults.stop import Stop
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.harness.workloads.producer import ACKS_ONE, ProducerSettings
from highwater.scenarios.acts.broker_says import says
from highwater.scenarios.acts.in_time import STALLED_S, comes_in_time

PATIENT = ProducerSettings(delivery_timeout_s=60, request_timeout_s=55)


@scenario(
    source="KAFKA-12686; KIP-497",
    reproduces="<3.0",
    plays_on=">=2.7",  # before, a leader asks nobody, and writes its ISR into ZooKeeper
    ablations=("HoldIsrChange",),
    claims=("stalled-sends",),
    gated_metadata=True,
    settings={"replica.socket.timeout.ms": "90000", "replica.lag.time.max.ms": "3000"},
    topic_settings={"min.insync.replicas": "1"},
)
def kafka12686_forgotten_request(play: Play, partition: Partition) -> None:
    """One replica does not fetch, and stays in the ISR: its leader has asked nobody, and waits.

    It has asked for an ISR without that one, and the request is late. Another broker is stopped, a
    new epoch begins, and it asks again. In 2.7 and 2.8 this request waits for the first one's
    answer, which takes away what waits: it is never sent, and the leader asks for nothing more. All
    that is sent with acks=all waits for the replica. From 3.0 on the leader tries again.
    """
    leader, other, late = partition.replicas

    def is_out() -> bool:
        return partition.state().isr == (leader,)

    play.bring_controller_home()
    held = play.inject(HoldRequests(leader, late, partition.where))
    play.await_standing([held])
    partition.require_acked(partition.send(1, ACKS_ONE, to=leader))
    alone = [f"from {each} to {leader}. " for each in (f"{leader},{late}", f"{late},{leader}")]
    asked = play.inject(HoldIsrChange(leader))
    play.await_standing([asked])
    away = play.inject(Stop(other))
    partition.await_state(
        "its leader would have the late one out in its new epoch as well",
        lambda: is_out() or any(says(play, leader, partition.where.topic, each) for each in alone),
    )
    play.heal(asked)
    comes_in_time(play, partition, "the late one is out", is_out, 6.0)
    with play.load(play.topics[0], 20, PATIENT) as load:
        comes_in_time(play, partition, "one is acknowledged", lambda: load.acked > 0, STALLED_S)
        play.heal(held)
        load.await_acked(1)
    play.heal(away)
    partition.await_state("the late one is in", lambda: late in partition.state().isr)
    partition.move_leader(late)
    partition.await_isr(*partition.replicas)
