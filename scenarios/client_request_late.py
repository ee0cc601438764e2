"""Any client: one of its requests is delivered long after it has given that one up."""

from highwater.faults.hold_produce import HoldProduce
from highwater.harness.gate.rules import Trigger
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.acts.any_client import any_client
from highwater.scenarios.acts.sending import IMPATIENT, REQUEST_TIMEOUT_S, await_held, sending
from highwater.scenarios.acts.variants import calm


@calm("client-impatient-undisturbed")
@any_client(
    "request.timeout.ms; enable.idempotence (KIP-98)",
    reproduces_with=("kafkajs",),
)
def client_request_late(play: Play, partition: Partition) -> None:
    """A client takes a request for lost and sends it again, and then the first one arrives as well.

    The request stands in the network for twice the time that the client waits. It stays there
    though the client closes its connection, and reaches the broker when the client has gone on
    without it.
    """
    with sending(play, partition, IMPATIENT) as load:
        late = play.inject(HoldProduce(load.name, Trigger("once")))
        play.await_standing([late])
        await_held(play, partition, 2 * REQUEST_TIMEOUT_S)
        play.heal(late)
