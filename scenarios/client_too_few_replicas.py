"""Any client: a leader says that too few replicas have what it has appended."""

from highwater.faults.answer_requests import AnswerRequests
from highwater.harness.gate.rules import Trigger
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.acts.any_client import any_client
from highwater.scenarios.acts.sending import await_more, sending
from highwater.scenarios.acts.variants import failing

A_FIFTH = Trigger("chance", chance=0.2, seed=7)


@failing("kafkajs", "platformatic")
@any_client("NOT_ENOUGH_REPLICAS_AFTER_APPEND; min.insync.replicas")
def client_too_few_replicas(play: Play, partition: Partition) -> None:
    """A client that is told that too few replicas have its record sends it again: it is there once.

    A fifth of the requests, chosen by a seed, is written on all replicas, and answered with
    NOT_ENOUGH_REPLICAS_AFTER_APPEND, as where the ISR shrank after the append.
    """
    with sending(play, partition) as load:
        few = play.inject(
            AnswerRequests(
                "Produce", "NOT_ENOUGH_REPLICAS_AFTER_APPEND", load.name, often=A_FIFTH, done=True
            )
        )
        few.await_answered()
        await_more(play, partition, load)
        play.heal(few)
