"""Any client: a new leader refuses what was written already, as it began to lead a moment late."""

from highwater.faults.answer_requests import AnswerRequests
from highwater.faults.hold_acknowledgements import HoldAcknowledgements
from highwater.faults.hold_produce import HoldProduce
from highwater.harness.gate.rules import Trigger
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.acts.any_client import any_client
from highwater.scenarios.acts.sending import await_held, sending

SOON_S = 5.0  # before any client gives up what it has sent, and goes on with the next


@any_client(
    "librdkafka#4953; enable.idempotence, max.in.flight.requests.per.connection",
    reproduces=">=2.5",  # as librdkafka4953-new-leader
    plays_on=">=2.5",  # since then a producer may bump its epoch (KIP-360)
    reproduces_with=("kafkajs",),
)
def client_leads_too_soon(play: Play, partition: Partition) -> None:
    """A client repeats its requests to a new leader, which refuses some, and each is written once.

    Of those under way two are written on all replicas, and their client does not hear of it; the
    others have not arrived. Leadership moves, and the connection ends. The new leader does not know
    yet that it leads, and refuses three. The client has to send them again as they were.
    """
    with sending(play, partition) as load:
        gathering = play.inject(HoldProduce(load.name, Trigger("once")))
        play.await_standing([gathering])
        await_held(play, partition, 0.5)
        unheard = play.inject(HoldAcknowledgements(load.name))
        under_way = play.inject(HoldProduce(load.name, Trigger("nth", 3)))
        play.heal(gathering)
        play.await_standing([unheard])
        what = "the third of those under way has not arrived"
        partition.await_state(what, lambda: under_way.proof["standing"] > 0, SOON_S)
        await_held(play, partition, 0.5)
        heir = partition.replicas[1]
        partition.move_leader(heir)
        partition.await_leader(heir)
        early = Trigger("times", 3)
        refused = AnswerRequests(
            "Produce", "NOT_LEADER_OR_FOLLOWER", client=load.name, broker=heir, often=early
        )
        refusing = play.inject(refused)
        play.heal(unheard)  # and the connection ends, with what stands there
        play.heal(under_way)
        refusing.await_answered()
