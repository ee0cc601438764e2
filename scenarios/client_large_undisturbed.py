"""Any client: nothing goes wrong with large requests to many partitions."""

from highwater.harness.clients.loading import as_told
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.acts.any_client import any_client
from highwater.scenarios.acts.half_written import BUFFERS, LARGE, RATE_PER_S
from highwater.scenarios.acts.sending import await_more
from highwater.scenarios.acts.variants import calm


@calm()
@any_client("batch.size, max.request.size; delivery.timeout.ms (KIP-91)")
def client_large_undisturbed(play: Play, partition: Partition) -> None:
    """A client whose requests are large, and which turns to another topic, has all of it written.

    A record is a batch, and one topic has thirty partitions. The control of client-half-written:
    what is violated here is no fault's doing.
    """
    earlier = play.topic("earlier", partitions=30)
    told = as_told(play.client, play.cluster.kafka, LARGE)
    with play.load(earlier, RATE_PER_S, told, client=play.client) as load:
        await_more(play, partition, load, len(earlier))
        load.turn_to(play.topics[0])
        await_more(play, partition, load, BUFFERS)
    play.note(f"{load.acked} records are acknowledged, and {load.failed} ended in another way")
