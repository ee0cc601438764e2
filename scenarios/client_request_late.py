"""Any client: one of its requests is delivered long after it has given that one up."""

from highwater.faults.hold_produce import HoldProduce
from highwater.harness.gate.rules import Trigger
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.scenarios.acts.sending import (
    IMPATIENT,
    REQUEST_TIMEOUT_S,
    await_held,
    sending,
)


@scenario(
    source="request.timeout.ms; enable.idempotence (KIP-98)",
    claims=("lost-write", "duplicate", "inconsistent-offsets", "stalled-sends"),
    plays_on=">=0.11",  # since then producers are idempotent
    any_client=True,
    reproduces_with=("kafkajs",),
    gated_clients=True,
    topic_settings={"min.insync.replicas": "2"},
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
