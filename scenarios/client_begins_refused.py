"""Any client: of the first requests that it ever sends the very first one is refused."""

from highwater.faults.answer_requests import AnswerRequests
from highwater.faults.hold_produce import HoldProduce
from highwater.harness.gate.rules import Trigger
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.acts.any_client import any_client
from highwater.scenarios.acts.sending import await_more
from highwater.scenarios.acts.under_way import SLOWLY_PER_S, WAITING_EACH, await_behind, one_each
from highwater.scenarios.acts.variants import LIBRDKAFKA, calm, failing, pipelining, without


@calm("client-one-each-undisturbed")
@failing(*LIBRDKAFKA)
@without("franz-go")  # which has one request under way until the first of a producer id is answered
@pipelining
@any_client(
    "NOT_ENOUGH_REPLICAS; enable.idempotence, KIP-360",
    reproduces=">=2.5",
    plays_on=">=1.0",  # since then several requests may be under way (KAFKA-5494)
)
def client_begins_refused(play: Play, partition: Partition) -> None:
    """A client whose very first request is refused sends it again, whatever becomes of the next.

    No broker knows its producer id yet. The first request stands until others are behind it, and is
    refused before the broker sees it. Up to 2.4 those behind it are out of order. From 2.5 on
    (KIP-360) a broker that knows nothing of a producer takes what comes as its first batch,
    whichever number that has: the second batch is written. A client that takes that for an answer
    to all before it says of the first that it is acknowledged, and never sends it again.
    """
    settings = one_each(play, WAITING_EACH)
    load = play.load(play.topics[0], SLOWLY_PER_S, settings, client=play.client)
    gathering = play.inject(HoldProduce(load.name, Trigger("once")))
    with load:
        play.await_standing([gathering])
        behind = await_behind(play, partition, gathering, 3)
        what = "two requests are under way at once"
        partition.require(what, behind >= 1, behind_the_first=behind)
        once = Trigger("once")
        refused = play.inject(
            AnswerRequests("Produce", "NOT_ENOUGH_REPLICAS", client=load.name, often=once)
        )
        play.heal(gathering)
        refused.await_answered()
        await_more(play, partition, load)
    play.note(f"{load.acked} records are acknowledged, and {load.failed} ended in another way")
