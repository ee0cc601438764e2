"""Any client: an answer comes when it has ceased to wait for it."""

from highwater.faults.hold_acknowledgements import HoldAcknowledgements
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
def client_answer_late(play: Play, partition: Partition) -> None:
    """A client that waits for an answer in vain sends again, and what was there is there once.

    What was sent is on all replicas. Its answer stands in the network for twice the time that the
    client waits, and then comes to whoever still listens there.
    """
    with sending(play, partition, IMPATIENT) as load:
        late = play.inject(HoldAcknowledgements(load.name, Trigger("once"), late=True))
        play.await_standing([late])
        await_held(play, partition, 2 * REQUEST_TIMEOUT_S)
        play.heal(late)
