"""Whether a follower answers a consumer: since KIP-392, if it asks as one that knows of that."""

from highwater.harness.gate.fetch_request import (
    FetchedPartition,
    FetchRequest,
    encode_fetch_request,
)
from highwater.harness.gate.fetch_response import AnsweredPartition, decode_fetch_response
from highwater.harness.gate.headers import FETCH
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.probes.many import CONSUMER
from highwater.harness.probes.wire import Wire
from highwater.harness.scenario import scenario
from highwater.scenarios.acts.by_hand import wires

NOT_LEADER = 6  # NOT_LEADER_FOR_PARTITION; since 2.6 it is called NOT_LEADER_OR_FOLLOWER
NEAR = 11  # since this version of Fetch a consumer may be answered by whoever is in its rack


@scenario(
    source="KIP-392; NOT_LEADER_OR_FOLLOWER",
    claims=("lost-write", "replica-divergence"),
    turns_at=("0.11", "2.4"),
    topic_settings={"min.insync.replicas": "2"},
)
def followers_refuse_readers(play: Play, partition: Partition) -> None:
    """A consumer asks all replicas for the same ten records, and up to 2.3 only the leader answers.

    The followers have them, and know that they are committed. They say all the same that they do
    not lead. From 2.4 on they answer, with records and with their own high watermark, who asks in
    version 11 of Fetch or a newer one; who asks as consumers did before is refused as ever.
    """
    leader, *followers = partition.replicas
    end = partition.send(10).end_offset
    everywhere = dict.fromkeys(partition.replicas, end)
    partition.await_offsets("ten records, committed on all three", everywhere, everywhere)
    kafka = play.cluster.kafka
    old = 4 if kafka.has_record_batches else 2
    for version in (old, NEAR) if kafka.followers_answer_consumers else (old,):
        answers = version == NEAR
        with wires(play, leader, *followers) as (of_leader, *others):
            told = _asked(of_leader, partition, version)
            partition.require(f"the leader answers {version}", _has(told, end), error=told.error)
            for broker, wire in zip(followers, others, strict=True):
                told = _asked(wire, partition, version)
                fact = _has(told, end) if answers else told.error == NOT_LEADER and not told.records
                what = f"broker {broker} {'answers' if answers else 'refuses'} version {version}"
                partition.require(what, fact, error=told.error)


def _asked(wire: Wire, partition: Partition, version: int) -> AnsweredPartition:
    asked = FetchedPartition(partition.where.topic, None, partition.where.partition, 0)
    body = encode_fetch_request(FetchRequest(CONSUMER, (asked,)), version)
    return decode_fetch_response(wire.ask(FETCH, version, body), version).partitions[0]


def _has(told: AnsweredPartition, end: int) -> bool:
    return not told.error and told.high_watermark == end and bool(told.records)
