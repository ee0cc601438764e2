"""Any client: a batch that is too large for its broker is refused while the client flushes."""

from highwater.faults.answer_requests import AnswerRequests
from highwater.faults.hold_acknowledgements import HoldAcknowledgements
from highwater.faults.hold_produce import HoldProduce
from highwater.harness.gate.rules import Trigger
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.acts.any_flushing import TOGETHER, any_flushing
from highwater.scenarios.acts.sending import await_held, sending

RATE_PER_S = 50  # of which a batch has room for all
GATHERED_S, HELD_S = 0.5, 1.0


@any_flushing(
    "Javadoc of KafkaProducer.flush; MESSAGE_TOO_LARGE (KIP-126: a batch is split), KAFKA-19479",
    reproduces_with=("java:2.8.2", "aiokafka"),  # Java before 4.1.1
)
def client_flushes(play: Play, partition: Partition) -> None:
    """A client that says that it has flushed has an outcome of all that it was handed before.

    It is told to flush when it has some records that it has not sent. The one request that has
    them all stands in front of its broker, and is refused as too large: a library may give these
    records up, or send them again in smaller batches, as Kafka's own does. The answers to what it
    sends next stand in the network, so that whoever says that all is sent while they stand says so
    of records that nobody has acknowledged. An application takes that for the sign that its inputs
    need not be read again.
    """
    with sending(play, partition, TOGETHER, RATE_PER_S) as load:
        gathering = play.inject(HoldProduce(load.name, Trigger("once")))
        await_held(play, partition, GATHERED_S)
        partition.require("all waits to be sent", gathering.proof["matched"] == 0)
        flush = load.start_flush()
        play.await_standing([gathering])
        refusing = AnswerRequests(
            "Produce", "MESSAGE_TOO_LARGE", client=load.name, often=Trigger("once")
        )
        refused = play.inject(refusing)
        late = play.inject(HoldAcknowledgements(load.name, late=True))
        play.heal(gathering)
        refused.await_answered()
        await_held(play, partition, HELD_S)
        when = "before" if flush.has_ended else "after"
        play.heal(late)
        flush.await_ended()
        what = f"cannot flush ({flush.error})" if flush.error else "has flushed"
        play.step(f"{load.name} says that it {what} {when} they are let go")
