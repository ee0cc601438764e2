"""Any client: for longer than it tries, it hears of nothing that it sends."""

from dataclasses import replace

from highwater.faults.hold_acknowledgements import HoldAcknowledgements
from highwater.harness.clients.loading import can_be_told
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.acts.any_client import any_client
from highwater.scenarios.acts.sending import IMPATIENT, REQUEST_TIMEOUT_S, sending
from highwater.scenarios.acts.variants import LIBRDKAFKA, failing

DELIVERY_TIMEOUT_S = 6.0
LINGER_MS = 1000.0  # a batch has records of different age: not all are given up at once
LONGEST_S = 7 * REQUEST_TIMEOUT_S


@failing(*LIBRDKAFKA)
@any_client(
    "delivery.timeout.ms (KIP-91); enable.idempotence (KIP-98)",
    reproduces=">=0.11",  # librdkafka#4953: as librdkafka4953-expired-batch
    reproduces_with=("kafka-python", "kafkajs", "java:2.8.2"),  # Java up to 3.5.2: KAFKA-14884
)
def client_unanswered(play: Play, partition: Partition) -> None:
    """A client that has had to give records up goes on as soon as it is answered again.

    All answers stand in the network, whatever it sends and sends again, until it has given some
    records up, or for as long as seven requests may wait. Then they are lost, and all is well. A
    client that can be told to wait for more puts the records of a second into one batch.
    """
    brief = replace(IMPATIENT, delivery_timeout_s=DELIVERY_TIMEOUT_S)
    kafka = play.cluster.kafka
    settings = brief if can_be_told(play.client, kafka, "delivery_timeout_s") else IMPATIENT
    if can_be_told(play.client, kafka, "linger_ms"):
        settings = replace(settings, linger_ms=LINGER_MS)
    with sending(play, partition, settings) as load:
        unheard = play.inject(HoldAcknowledgements(load.name))
        play.await_standing([unheard])
        until_ns = play.record.now_ns() + LONGEST_S * 1e9
        partition.await_state(
            "it has given records up, or does not",
            lambda: load.failed > 0 or play.record.now_ns() > until_ns,
            LONGEST_S + 10,
        )
        play.heal(unheard)
