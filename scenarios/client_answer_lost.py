"""Any client: its records are written, and the connection ends before it hears of it."""

from highwater.faults.hold_acknowledgements import HoldAcknowledgements
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.scenarios.acts.sending import sending


@scenario(
    source="Kafka's documentation, 4.6: Message Delivery Semantics; enable.idempotence",
    claims=("lost-write", "duplicate", "inconsistent-offsets", "stalled-sends"),
    plays_on=">=0.11",  # since then producers are idempotent
    any_client=True,
    reproduces_with=("kafkajs",),
    gated_clients=True,
    topic_settings={"min.insync.replicas": "2"},
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
