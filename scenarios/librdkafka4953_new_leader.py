"""librdkafka: what a new leader has is written a second time, as it began to lead a moment late."""

from highwater.faults.answer_requests import AnswerRequests
from highwater.faults.hold_acknowledgements import HoldAcknowledgements
from highwater.faults.hold_produce import HoldProduce
from highwater.harness.gate.rules import Trigger
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.harness.workloads.producer import ProducerSettings, RecordingProducer

# One record a request, five requests under way: what Kafka's idempotence allows (KAFKA-5494).
FIVE = ProducerSettings(in_flight=5, batch_records=1, delivery_timeout_s=60, retries=100_000)


@scenario(
    source="librdkafka#4953; enable.idempotence, max.in.flight.requests.per.connection",
    reproduces=">=0.11",
    ablations=("AnswerRequests",),
    claims=("duplicate",),
    plays_on=">=0.11",  # since then producers are idempotent
    gated_clients=True,
    topic_settings={"min.insync.replicas": "2"},
)
def librdkafka4953_new_leader(play: Play, partition: Partition) -> None:
    """An idempotent producer writes records twice, as leadership moves while five are under way.

    Two records are written on all replicas, and their producer does not hear of it; three more
    have not arrived. Leadership moves, the connection ends, and all five are sent to the new
    leader. It does not know yet that it leads, and refuses four of them (the gate answers for it).
    When the fifth one comes it leads, and misses the third: out of order. Those refused would all
    be sent again, in order, and it would know what it has. Instead their producer begins to count
    anew under another epoch, and to the broker all five are new.
    """
    where, history = partition.where, play.record.history
    settings, heir = FIVE.on(play.cluster.kafka), partition.replicas[1]
    with RecordingProducer(
        play.cluster.bootstrap, history, settings, play.scene.values
    ) as producer:
        producer.await_metadata([where])
        unheard = play.inject(HoldAcknowledgements(producer.name))
        written = producer.send(where, 2)
        play.await_standing([unheard])
        partition.await_offsets("two are written", dict.fromkeys(partition.replicas, 2))
        under_way = play.inject(HoldProduce(producer.name))
        younger = producer.send(where, 3)
        play.await_standing([under_way])
        partition.move_leader(heir)
        early = Trigger("times", 4)
        refused = AnswerRequests(
            "Produce", "NOT_LEADER_OR_FOLLOWER", client=producer.name, broker=heir, often=early
        )
        play.inject(refused)
        play.heal(under_way)
        play.heal(unheard)
        producer.flush()
    partition.require("all are acknowledged", written.acked + younger.acked == 5)
