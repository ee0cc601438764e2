"""Any client: an answer comes when it has given up what it is an answer to."""

from highwater.faults.hold_acknowledgements import HoldAcknowledgements
from highwater.harness.clients.loading import as_told
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.acts.any_client import any_client
from highwater.scenarios.acts.giving_up import GATHERING, await_given_up
from highwater.scenarios.acts.sending import REQUEST_TIMEOUT_S, sending
from highwater.scenarios.acts.variants import LIBRDKAFKA, calm

LONGEST_S = 7 * REQUEST_TIMEOUT_S


@calm("client-impatient-undisturbed")
@any_client(
    "delivery.timeout.ms (KIP-91); enable.idempotence (KIP-98)",
    reproduces=">=0.11",  # librdkafka#4953: as librdkafka4953-expired-batch
    reproduces_with=("kafka-python", "kafkajs", "platformatic", *LIBRDKAFKA),
)
def client_answer_too_late(play: Play, partition: Partition) -> None:
    """A client is told that records are written which it has given up, and goes on as before.

    All answers stand in the network, until the client has given records up, or for as long as seven
    requests may wait. Then they go on, and so do those on connections that it has left: whoever
    listens there yet hears that all is written. What it has said of a record stays said.
    """
    with sending(play, partition, as_told(play.client, play.cluster.kafka, GATHERING)) as load:
        late = play.inject(HoldAcknowledgements(load.name, late=True))
        play.await_standing([late])
        await_given_up(play, partition, load, LONGEST_S)
        play.heal(late)
