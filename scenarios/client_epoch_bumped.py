"""Any client: one partition's refusal has it count anew, as another one's answer is under way."""

from highwater.faults.answer_requests import AnswerRequests
from highwater.faults.hold_acknowledgements import HoldAcknowledgements
from highwater.faults.hold_produce import HoldProduce
from highwater.harness.gate.rules import Trigger
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.acts.any_client import any_client
from highwater.scenarios.acts.sending import await_held, await_more
from highwater.scenarios.acts.under_way import PATIENT_EACH, SLOWLY_PER_S, await_behind, one_each
from highwater.scenarios.acts.variants import LIBRDKAFKA, calm, failing, pipelining


@calm("client-one-each-undisturbed")
@failing(*LIBRDKAFKA)
@pipelining
@any_client(
    "librdkafka#4953; enable.idempotence, KIP-360",
    reproduces=">=2.5",
    plays_on=">=2.5",  # since then a producer may bump its epoch (KIP-360)
)
def client_epoch_bumped(play: Play, partition: Partition) -> None:
    """A client repeats what it has no answer for, also when it counts anew for another partition.

    Two partitions, led by two brokers. What was sent to one of them is on all replicas, and the
    answer stands in the network. Of several requests to the other one the first is refused, and
    those behind it are out of order. A client that begins to count anew for that, as another epoch
    of its producer id, does so for all partitions. Then the answer is lost with its connection.
    What it has no answer for may be repeated under its old number alone: under a new one it is new.
    """
    both = play.topic("both", partitions=2)
    unheard_of, refusing = both[0].leader, both[1].leader
    settings = one_each(play, PATIENT_EACH)
    with play.load(both, SLOWLY_PER_S, settings, client=play.client) as load:
        await_more(play, both[0], load)
        gathering = play.inject(HoldProduce(load.name, Trigger("once"), broker=refusing))
        unheard = play.inject(HoldAcknowledgements(load.name, broker=unheard_of))
        play.await_standing([gathering, unheard])
        behind = await_behind(play, both[1], gathering, 3)
        what = "two requests are under way at once"
        partition.require(what, behind >= 1, behind_the_first=behind)
        refused = play.inject(
            AnswerRequests(
                "Produce", "NOT_ENOUGH_REPLICAS", load.name, refusing, often=Trigger("once")
            )
        )
        play.heal(gathering)
        refused.await_answered()
        await_held(play, both[1], 2.0)
        play.heal(unheard)
        await_more(play, both[0], load)
    play.note(f"{load.acked} records are acknowledged, and {load.failed} ended in another way")
