"""librdkafka: half of a batch is given up, and the other half is written a second time."""

from highwater.faults.hold_acknowledgements import HoldAcknowledgements
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.harness.workloads.producer import ProducerSettings

APART_NS = 3e9
BRIEF = ProducerSettings(delivery_timeout_s=8.0, linger_ms=4000.0)


@scenario(
    source="librdkafka#4953; message.timeout.ms, enable.idempotence",
    reproduces=">=0.11",
    ablations=("HoldAcknowledgements",),
    claims=("duplicate",),
    plays_on=">=0.11",  # since then producers are idempotent
    gated_clients=True,
    topic_settings={"min.insync.replicas": "2"},
)
def librdkafka4953_expired_batch(play: Play, partition: Partition) -> None:
    """An idempotent producer writes records twice, once an older record has waited for too long.

    A batch has a record and, three seconds younger, five others. All six are written, and their
    producer does not hear of it. After message.timeout.ms it gives the oldest one up. What it
    has given up it cannot send again under its number, so it begins to count anew, as another
    producer id or epoch, and sends the other five under new numbers. To the broker they are new.

    It is the client's doing, on every broker. Nothing is given up, and nothing written twice, where
    message.timeout.ms (of Java delivery.timeout.ms) outlasts whatever keeps brokers from answering.
    """
    where = partition.where
    with play.producer(BRIEF) as producer:
        producer.await_metadata(where)
        unheard = play.inject(HoldAcknowledgements(producer.name))
        begun_ns = play.record.now_ns()
        oldest = producer.send(where, 1)
        partition.await_state(
            "the oldest record is three seconds old",
            lambda: play.record.now_ns() > begun_ns + APART_NS,
        )
        others = producer.send(where, 5)
        play.await_standing([unheard])
        partition.await_offsets("all six are written", dict.fromkeys(partition.replicas, 6))

        def given_up() -> bool:
            producer.look()
            return bool(oldest.unknown)

        partition.await_state("the oldest has been given up", given_up)
        partition.require("the others have not", not others.unknown, errors=others.unknown)
        play.heal(unheard)
    play.step(f"{others.acked} of the others are acknowledged after all")
