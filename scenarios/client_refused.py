"""Any client: some of its requests are refused by a leader that does not know yet that it leads."""

from highwater.faults.answer_requests import AnswerRequests
from highwater.harness.gate.rules import Trigger
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.acts.any_client import any_client
from highwater.scenarios.acts.sending import await_more, sending

A_FIFTH = Trigger("chance", chance=0.2, seed=7)


@any_client("NOT_LEADER_OR_FOLLOWER; Kafka's protocol guide: retriable errors")
def client_refused(play: Play, partition: Partition) -> None:
    """A client whose requests are refused for a moment sends them again, and none is lost.

    A fifth of them, chosen by a seed, never reaches the broker: the gate answers as a broker does
    that has not heard yet that it leads. The client asks who leads, and sends again. Requests that
    were sent behind a refused one arrive out of order, and are refused as well.
    """
    with sending(play, partition) as load:
        refused = play.inject(
            AnswerRequests("Produce", "NOT_LEADER_OR_FOLLOWER", client=load.name, often=A_FIFTH)
        )
        refused.await_answered()
        await_more(play, partition, load)
        play.heal(refused)
