"""Any client: nothing goes wrong at all."""

from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.scenarios.acts.sending import await_more, sending


@scenario(
    source="Kafka's documentation, 4.6: Message Delivery Semantics",
    claims=("lost-write", "duplicate", "inconsistent-offsets", "stalled-sends"),
    plays_on=">=0.11",  # since then producers are idempotent
    any_client=True,
    gated_clients=True,
    topic_settings={"min.insync.replicas": "2"},
)
def client_undisturbed(play: Play, partition: Partition) -> None:
    """A client that nothing happens to has its records acknowledged, each once, and all are there.

    The control of all other scenarios of any client: what is violated here is no fault's doing.
    """
    with sending(play, partition) as load:
        await_more(play, partition, load)
