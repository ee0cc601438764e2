"""Any client: its topic is deleted and created again while it sends to another one."""

from highwater.faults.answer_requests import AnswerRequests
from highwater.faults.hold_asked import HoldAsked
from highwater.harness.gate.rules import Trigger
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.acts.any_client import any_client
from highwater.scenarios.acts.sending import RATE_PER_S, await_more

ONCE = Trigger("once")


@any_client("KAFKA-13488, KAFKA-12257; KIP-516", reproduces_with=("java:2.8.1", "java:3.0.0"))
def client_topic_created_again(play: Play, partition: Partition) -> None:
    """A client that sent to a topic sends to the one that has its name now.

    Its topic has been led three times. The client turns to another topic, and the first one is
    deleted. As a request is refused it asks who leads, and hears that the first topic is not there.
    Then that is created again, with leader epochs that begin anew, and the client turns back to it.
    Who takes the younger topic for old news of the last one finds no leader, until its leader
    epoch is as high as that of the one before.
    """
    (first,) = [*play.topics]
    other = play.topic("meanwhile")
    home, heir, _ = partition.replicas
    with play.load(first, RATE_PER_S, client=play.client) as load:
        await_more(play, partition, load)
        for leader in (heir, home):
            partition.move_leader(leader)
            partition.await_leader(leader)
        await_more(play, partition, load)
        epoch = partition.state().leader_epoch
        load.turn_to(other)
        other[0].await_state("it sends there", lambda: other[0].log_end_offset(home) > 0)
        load.flush()
        first.delete()
        asking = play.inject(HoldAsked("Metadata", load.name, ONCE))
        refusing = AnswerRequests("Produce", "NOT_LEADER_OR_FOLLOWER", load.name, often=ONCE)
        play.inject(refusing).await_answered()
        play.await_standing([asking])
        play.heal(asking)
        await_more(play, other[0], load)
        again = play.topic(settings={"min.insync.replicas": "2"})
        below = again[0].state().leader_epoch < epoch
        again[0].require("its leader epoch lies below that of the one before", below, epoch=epoch)
        load.turn_to(again)
        await_more(play, again[0], load)
        for leader in (heir, home):
            again[0].move_leader(leader)
            again[0].await_leader(leader)
        await_more(play, again[0], load)
    play.note(f"{load.acked} records are acknowledged, and {load.failed} ended in another way")
