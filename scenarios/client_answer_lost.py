"""Any client: its records are written, and the connection ends before it hears of it."""

from highwater.faults.hold_acknowledgements import HoldAcknowledgements
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.acts.any_client import any_client
from highwater.scenarios.acts.sending import sending


@any_client(
    "Kafka's documentation, 4.6: Message Delivery Semantics; enable.idempotence",
    reproduces_with=("kafkajs",),
)
def client_answer_lost(play: Play, partition: Partition) -> None:
    """A client that does not hear of what it has sent sends it again, and it is written once.

    What was sent is on all replicas. Its answer stands in the network, and then the connection
    ends. The client connects again and repeats what it has no answer for. The broker knows an
    idempotent producer's numbers, and writes none of it twice.
    """
    with sending(play, partition) as load:
        unheard = play.inject(HoldAcknowledgements(load.name))
        play.await_standing([unheard])
        play.heal(unheard)
