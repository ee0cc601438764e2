"""Any client: it is told to send each record once, and some of its requests are refused."""

from highwater.faults.answer_requests import AnswerRequests
from highwater.harness.clients.loading import as_told
from highwater.harness.gate.rules import Trigger
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.acts.any_client import any_client
from highwater.scenarios.acts.sending import ONE_TRY, await_more, sending
from highwater.scenarios.acts.variants import calm

A_FIFTH = Trigger("chance", chance=0.2, seed=7)


@calm("client-one-try-undisturbed")
@any_client("NOT_ENOUGH_REPLICAS; retries; acks")
def client_refused_for_good(play: Play, partition: Partition) -> None:
    """What a client says has failed is not there, and what it says is acknowledged is.

    It is told to send nothing again. A fifth of its requests, chosen by a seed, never reaches the
    broker: the gate answers as a leader does whose ISR is too small. The client tells of these
    records that they have failed, and goes on. One that cannot be told so sends them again.
    """
    settings = as_told(play.client, play.cluster.kafka, ONE_TRY)
    with sending(play, partition, settings) as load:
        refused = play.inject(
            AnswerRequests("Produce", "NOT_ENOUGH_REPLICAS", client=load.name, often=A_FIFTH)
        )
        refused.await_answered()
        await_more(play, partition, load)
        play.heal(refused)
    told = "" if settings.retries == 0 else "it cannot be told to send once; "
    play.note(f"{told}{load.failed} records failed")
