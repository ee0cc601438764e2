"""Any client: nothing goes wrong, and it waits for a short time only."""

from highwater.harness.clients.loading import as_told
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.acts.any_client import any_client
from highwater.scenarios.acts.giving_up import BRIEF, GATHERING
from highwater.scenarios.acts.sending import IMPATIENT, await_more, sending
from highwater.scenarios.acts.variants import calm


@calm()
@any_client("request.timeout.ms; delivery.timeout.ms (KIP-91)")
def client_impatient_undisturbed(play: Play, partition: Partition) -> None:
    """A client that waits for two seconds only, and is answered, sends nothing twice.

    The control of those scenarios in which an answer is missing for longer than that: with each of
    their settings, one after the other, what is violated here is no fault's doing.
    """
    with sending(play, partition, IMPATIENT) as load:
        await_more(play, partition, load)
    for settings in (BRIEF, GATHERING):
        with sending(play, partition, as_told(play.client, play.cluster.kafka, settings)) as load:
            await_more(play, partition, load)
