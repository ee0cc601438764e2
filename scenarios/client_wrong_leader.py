"""Any client: it is told that a broker leads which does not."""

from highwater.faults.answer_requests import AnswerRequests
from highwater.faults.mislead import Mislead
from highwater.faults.watch_produce import WatchProduce
from highwater.harness.gate.rules import Trigger
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.acts.any_client import any_client
from highwater.scenarios.acts.sending import await_more, sending


@any_client("NOT_LEADER_OR_FOLLOWER; Kafka's protocol guide: Metadata; KIP-951")
def client_wrong_leader(play: Play, partition: Partition) -> None:
    """A client that was told a follower for the leader is refused there, and finds who leads.

    A request is refused, as by a leader that leads no more. Whoever is asked who does names a
    follower, as brokers do whose own metadata are old. The client sends there, and is refused. Then
    brokers say again who leads. It asks again, and nothing is lost, or written twice.
    """
    follower = partition.replicas[1]
    with sending(play, partition) as load:
        wrong = play.inject(Mislead(load.name, follower))
        sent = play.inject(WatchProduce(load.name, follower))
        refused = play.inject(
            AnswerRequests("Produce", "NOT_LEADER_OR_FOLLOWER", load.name, often=Trigger("once"))
        )
        refused.await_answered()
        wrong.await_answered()
        sent.await_seen()
        partition.require("the other one leads all the time", partition.leader != follower)
        play.heal(wrong)
        await_more(play, partition, load)
