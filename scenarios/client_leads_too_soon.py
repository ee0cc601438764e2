"""Any client: a new leader refuses what was written already, as it began to lead a moment late."""

from highwater.faults.answer_requests import AnswerRequests
from highwater.faults.hold_acknowledgements import HoldAcknowledgements
from highwater.faults.hold_produce import HoldProduce
from highwater.harness.gate.rules import Trigger
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.acts.any_client import any_client
from highwater.scenarios.acts.sending import sending
from highwater.scenarios.acts.under_way import SLOWLY_PER_S, await_behind, one_each
from highwater.scenarios.acts.variants import LIBRDKAFKA, calm, failing, pipelining


@calm("client-one-each-undisturbed")
@failing(*LIBRDKAFKA)
@pipelining
@any_client(
    "librdkafka#4953; enable.idempotence, max.in.flight.requests.per.connection",
    reproduces=">=2.5",  # as librdkafka4953-new-leader
    plays_on=">=2.5",  # since then a producer may bump its epoch (KIP-360)
)
def client_leads_too_soon(play: Play, partition: Partition) -> None:
    """A client repeats its requests to a new leader, which refuses some, and each is written once.

    Of those under way two are written on all replicas, and their client does not hear of it; the
    others have not arrived. Leadership moves, and the connection ends. The new leader does not know
    yet that it leads, and refuses three. The client has to send them again as they were.
    """
    heir = partition.replicas[1]
    with sending(play, partition, one_each(play), SLOWLY_PER_S) as load:
        gathering = play.inject(HoldProduce(load.name, Trigger("once")))
        play.await_standing([gathering])
        seen = await_behind(play, partition, gathering, 4)
        partition.require("three requests are under way at once", seen >= 2, behind_the_first=seen)
        unheard = play.inject(HoldAcknowledgements(load.name))
        under_way = play.inject(HoldProduce(load.name, Trigger("nth", 3)))
        play.heal(gathering)
        play.await_standing([unheard, under_way])
        two = "two are written on all replicas, and not acknowledged"
        partition.await_state(two, lambda: unheard.proof["behind"] > 0)
        partition.move_leader(heir)
        partition.await_leader(heir)
        again = play.inject(HoldProduce(load.name, Trigger("once"), broker=heir))
        early, refusal = Trigger("times", 3), "NOT_LEADER_OR_FOLLOWER"
        refusing = play.inject(
            AnswerRequests("Produce", refusal, client=load.name, broker=heir, often=early)
        )
        play.heal(unheard)  # and the connection ends, with what stands there
        play.heal(under_way)
        play.await_standing([again])
        await_behind(play, partition, again, 4)
        play.heal(again)
        refusing.await_answered()
