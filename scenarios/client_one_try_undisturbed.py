"""Any client: nothing goes wrong, and it is told to send each record once."""

from highwater.harness.clients.loading import as_told
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.acts.any_client import any_client
from highwater.scenarios.acts.sending import ONE_TRY, await_more, sending
from highwater.scenarios.acts.variants import calm


@calm()
@any_client("retries; acks")
def client_one_try_undisturbed(play: Play, partition: Partition) -> None:
    """A client that sends nothing again, and need not, has every record acknowledged."""
    settings = as_told(play.client, play.cluster.kafka, ONE_TRY)
    with sending(play, partition, settings) as load:
        await_more(play, partition, load)
