"""Any client: of several requests under way the first one is refused."""

from highwater.faults.answer_requests import AnswerRequests
from highwater.faults.hold_produce import HoldProduce
from highwater.harness.gate.rules import Trigger
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.acts.any_client import any_client
from highwater.scenarios.acts.sending import sending
from highwater.scenarios.acts.under_way import SLOWLY_PER_S, await_behind, one_each
from highwater.scenarios.acts.variants import calm, pipelining


@calm("client-one-each-undisturbed")
@pipelining
@any_client("NOT_ENOUGH_REPLICAS; max.in.flight.requests.per.connection, enable.idempotence")
def client_first_refused(play: Play, partition: Partition) -> None:
    """A client whose first request of several is refused sends it again, and none overtakes it.

    The first one stands until the client has sent all that it sends without an answer: one more at
    least waits behind it. It is refused before the broker sees it. To the broker those behind it
    are out of order, and refused as well.
    """
    with sending(play, partition, one_each(play), SLOWLY_PER_S) as load:
        gathering = play.inject(HoldProduce(load.name, Trigger("once")))
        play.await_standing([gathering])
        behind = await_behind(play, partition, gathering, 4)
        what = "two requests are under way at once"
        partition.require(what, behind >= 1, behind_the_first=behind)
        refusing = AnswerRequests(
            "Produce", "NOT_ENOUGH_REPLICAS", client=load.name, often=Trigger("once")
        )
        refused = play.inject(refusing)
        play.heal(gathering)
        refused.await_answered()
