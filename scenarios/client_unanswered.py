"""Any client: for longer than it tries, it hears of nothing that it sends."""

from highwater.faults.hold_acknowledgements import HoldAcknowledgements
from highwater.harness.clients.loading import as_told
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.acts.any_client import any_client
from highwater.scenarios.acts.giving_up import BRIEF, await_given_up
from highwater.scenarios.acts.sending import REQUEST_TIMEOUT_S, sending
from highwater.scenarios.acts.variants import LIBRDKAFKA, calm, failing

LONGEST_S = 7 * REQUEST_TIMEOUT_S


@calm("client-impatient-undisturbed")
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
    with sending(play, partition, as_told(play.client, play.cluster.kafka, BRIEF)) as load:
        unheard = play.inject(HoldAcknowledgements(load.name))
        play.await_standing([unheard])
        await_given_up(play, partition, load, LONGEST_S)
        play.heal(unheard)
