"""librdkafka: what a new leader has is written a second time, as it began to lead a moment late."""

from highwater.faults.answer_requests import AnswerRequests
from highwater.faults.hold_acknowledgements import HoldAcknowledgements
from highwater.faults.hold_produce import HoldProduce
from highwater.harness.gate.rules import Trigger
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.harness.workloads.producer import ProducerSettings
from highwater.scenarios.acts.under_way import await_behind

# One record a request, five requests under way.
FIVE = ProducerSettings(in_flight=5, batch_records=1, delivery_timeout_s=60, retries=100_000)
EARLY, THREE = "NOT_LEADER_OR_FOLLOWER", Trigger("times", 3)


@scenario(
    source="librdkafka#4953; enable.idempotence, max.in.flight.requests.per.connection",
    reproduces=">=2.5",
    ablations=("AnswerRequests",),
    claims=("duplicate",),
    plays_on=">=2.5",  # since then a producer may bump its epoch (KIP-360)
    gated_clients=True,
    topic_settings={"min.insync.replicas": "2"},
)
def librdkafka4953_new_leader(play: Play, partition: Partition) -> None:
    """An idempotent producer writes records twice, as leadership moves while five are under way.

    Two records are written on all replicas, and their producer does not hear of it; three more
    have not arrived. Leadership moves, the connection ends, and all five stand at the new leader,
    which does not know yet that it leads, and refuses three (the gate answers for it). As the
    fourth comes it leads, and misses the third. All could be sent again in order. Instead their
    producer begins to count anew under another epoch, and to the broker all five are new.
    """
    where, heir = partition.where, partition.replicas[1]
    with play.producer(FIVE) as producer:
        producer.await_metadata(where)
        producer.send(where, 1)
        producer.flush()
        unheard = play.inject(HoldAcknowledgements(producer.name))
        written = producer.send(where, 2)
        play.await_standing([unheard])
        partition.await_offsets("two are written", dict.fromkeys(partition.replicas, 3))
        under_way = play.inject(HoldProduce(producer.name))
        younger = producer.send(where, 3)
        play.await_standing([under_way])
        partition.move_leader(heir)
        partition.await_leader(heir)
        again = play.inject(HoldProduce(producer.name, Trigger("once"), broker=heir))
        play.inject(AnswerRequests("Produce", EARLY, producer.name, heir, often=THREE))
        play.heal(unheard)  # and the connection ends, with the three that stand there
        play.heal(under_way)
        play.await_standing([again])
        seen = await_behind(play, partition, again, 4)  # or it hears of the first before the fourth
        partition.require("all five stand at the new leader", seen >= 4, behind=seen)
        play.heal(again)
        producer.flush()
    partition.require("nothing has failed", not [*written.unknown, *younger.unknown])
