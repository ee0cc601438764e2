"""Any client: nothing goes wrong at all."""

from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.acts.any_client import any_client
from highwater.scenarios.acts.sending import await_more, sending
from highwater.scenarios.acts.variants import calm


@calm()
@any_client("Kafka's documentation, 4.6: Message Delivery Semantics")
def client_undisturbed(play: Play, partition: Partition) -> None:
    """A client that nothing happens to has its records acknowledged, each once, and all are there.

    The control of all other scenarios of any client: what is violated here is no fault's doing.
    """
    with sending(play, partition) as load:
        await_more(play, partition, load)
