"""Any client: nobody can say for a moment who leads."""

from highwater.faults.answer_requests import AnswerRequests
from highwater.harness.gate.rules import Trigger
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.acts.any_client import any_client
from highwater.scenarios.acts.sending import await_more, sending

SOME = Trigger("times", 3)


@any_client("LEADER_NOT_AVAILABLE; Kafka's protocol guide: retriable errors")
def client_misled(play: Play, partition: Partition) -> None:
    """A client that is told three times that no leader is known asks again, and loses nothing.

    A request is refused, as by a leader that leads no more. Whoever is asked who does, answers
    three times that there is none yet, as brokers do during an election. Then they say it.
    """
    with sending(play, partition) as load:
        absent = play.inject(
            AnswerRequests("Metadata", "LEADER_NOT_AVAILABLE", load.name, often=SOME, done=True)
        )
        refused = play.inject(
            AnswerRequests("Produce", "NOT_LEADER_OR_FOLLOWER", load.name, often=Trigger("once"))
        )
        refused.await_answered()
        absent.await_answered()
        await_more(play, partition, load)
