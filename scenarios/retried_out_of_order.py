"""What comes behind a request that is refused and sent again: it stands before it."""

from highwater.faults.answer_requests import AnswerRequests
from highwater.faults.hold_produce import HoldProduce
from highwater.harness.gate.rules import Trigger
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.harness.workloads.producer import ProducerSettings
from highwater.scenarios.acts.under_way import require_second

REFUSED = "NOT_ENOUGH_REPLICAS"
KEPT = {(5, False): False, (1, False): False, (5, True): True}  # in flight, idempotent: order?


@scenario(
    source="max.in.flight.requests.per.connection, enable.idempotence (KIP-98); librdkafka #1092",
    plays_on=">=0.10.2",  # clients cannot be sent through the gate before
    turns_at=("0.11",),
    claims=("lost-write", "duplicate"),
    gated_clients=True,
    topic_settings={"min.insync.replicas": "2"},
)
def retried_out_of_order(play: Play, partition: Partition) -> None:
    """Two records of one producer stand in the other order, as the first one was sent twice.

    The first of two requests stands in the network until the second one is behind it, and is then
    refused. The producer is not idempotent: what comes behind is written, the first one comes again
    and is written last. Both are acknowledged, and nobody is told.

    With enable.idempotence=true, since 0.11, the order stays: a broker takes no batch before the
    one that it misses. So it is said to do with one request in flight, and in librdkafka does not:
    the next request is made, and goes out before the first one comes again.
    """
    asked = {each for each in KEPT if play.cluster.kafka.knows_idempotence or not each[1]}
    for in_flight, idempotence in sorted(asked):
        settings = ProducerSettings(batch_records=1, in_flight=in_flight, idempotence=idempotence)
        first, second = _refused_once(play, partition, settings)
        what = f"in flight {in_flight}, idempotent {idempotence}: is the order as foreseen?"
        fact = (first < second) is KEPT[in_flight, idempotence]
        partition.require(what, fact, first=first, second=second)


def _refused_once(play: Play, where: Partition, settings: ProducerSettings) -> tuple[int, int]:
    """The offsets of two records of which the first is refused; another one has been written."""
    once = Trigger("once")
    with play.producer(settings) as producer:
        sent = [producer.send(where.where)]
        producer.flush()
        gathering = play.inject(HoldProduce(producer.name, once))
        sent += [producer.send(where.where), producer.send(where.where)]
        play.await_standing([gathering])
        require_second(play, where, gathering, settings.in_flight)
        refused = play.inject(AnswerRequests("Produce", REFUSED, producer.name, often=once))
        play.heal(gathering)
        refused.await_answered()
        producer.flush()
        play.heal(refused)
    where.require("all are acknowledged", all(each.all_acked for each in sent))
    return sent[1].first_offset, sent[2].first_offset
