"""Any client: a broker says that it has run out of time for what it has written."""

from highwater.faults.answer_requests import AnswerRequests
from highwater.harness.gate.rules import Trigger
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.acts.any_client import any_client
from highwater.scenarios.acts.sending import await_more, sending
from highwater.scenarios.acts.variants import failing

A_FIFTH = Trigger("chance", chance=0.2, seed=7)


@failing("kafkajs", "platformatic")
@any_client("REQUEST_TIMED_OUT; enable.idempotence (KIP-98)")
def client_told_late(play: Play, partition: Partition) -> None:
    """A client that is told that time ran out sends again, and what was there is not written twice.

    A fifth of the requests, chosen by a seed, is written on all replicas, and answered with
    REQUEST_TIMED_OUT, as a leader answers whose followers are slow. The client sends them again.
    """
    with sending(play, partition) as load:
        late = play.inject(
            AnswerRequests(
                "Produce", "REQUEST_TIMED_OUT", client=load.name, often=A_FIFTH, done=True
            )
        )
        late.await_answered()
        await_more(play, partition, load)
        play.heal(late)
