"""Many replicas are asked for at once; what they say is read again where it is another answer."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import cast

import pytest

from highwater.harness.gate.fetch_request import decode_fetch_request
from highwater.harness.gate.headers import DESCRIBE_TOPIC_PARTITIONS, FETCH, LIST_OFFSETS
from highwater.harness.gate.list_offsets import EARLIEST, decode_list_offsets_request
from highwater.harness.gate.primitives import Reader, Writer
from highwater.harness.metadata.kraft import KRaftMetadata
from highwater.harness.model import ReplicaState, TopicPartition
from highwater.harness.probes.replicas import ReplicaProbe
from highwater.harness.probes.wire import Wire
from highwater.harness.versions.catalogue import find_kafka

WHERES = tuple(TopicPartition("orders", number) for number in range(3))
OUT_OF_RANGE, NOT_LEADER = 1, 6
_HEAD, _FETCHED = struct.Struct(">ihi"), struct.Struct(">ih")
_OFFSETS, _NOTHING = struct.Struct(">qqq"), struct.Struct(">iii")
_LED = struct.Struct(">hiii")
Numbers = Mapping[int, int]  # by partition


class Broker:
    """Answers in bytes, as Kafka 4.1 does; of a partition without a log end offset it has none."""

    def __init__(self) -> None:
        self.ends: dict[int, int] = {0: 5, 1: 6, 2: 7}
        self.marks: dict[int, int] = {0: 4, 1: 6, 2: 7}
        self.starts: dict[int, int] = {0: 0, 1: 0, 2: 0}
        self.stable: dict[int, int] = {0: 3}
        self.leaders: dict[int, int] = {0: 1, 1: 2, 2: 2}
        self.epoch = 1
        self.asked: list[int] = []
        self.failing: Sequence[int] = ()

    def ask(self, api: int, version: int, body: bytes) -> Reader:
        self.asked.append(api)
        if api in self.failing:
            raise ConnectionError("gone")
        flexible = api == DESCRIBE_TOPIC_PARTITIONS
        made = Writer(flexible)
        if api == LIST_OFFSETS:
            self._list(made, version, Reader(body, 0, flexible=False))
        elif api == FETCH:
            self._fetch(made, Reader(body, 0, flexible=False))
        else:
            self._describe(made)
        return Reader(bytes(made.buffer), 0, flexible)

    def _list(self, made: Writer, version: int, asked: Reader) -> None:
        request = decode_list_offsets_request(asked, version)
        known: Numbers = self.stable if request.committed_only else self.ends
        if version >= 2:
            made.int32(0)
        made.array(("orders",), made.nullable_string)
        made.int32(len(request.partitions))
        for one in request.partitions:
            told = self.starts if one.timestamp == EARLIEST else known
            made.int32(one.partition)
            made.int16(0 if one.partition in told else NOT_LEADER)
            made.int64(-1)
            made.int64(told.get(one.partition, -1))

    def _fetch(self, made: Writer, asked: Reader) -> None:
        request = decode_fetch_request(asked, 11)
        made.numbers(_HEAD, 0, 0, 0)  # throttle time, error, session
        made.array(("orders",), made.nullable_string)
        made.int32(len(request.partitions))
        for one in request.partitions:
            below = one.fetch_offset < self.starts[one.partition]
            made.numbers(_FETCHED, one.partition, OUT_OF_RANGE if below else 0)
            made.numbers(_OFFSETS, -1 if below else self.marks[one.partition], -1, 0)
            made.numbers(_NOTHING, -1, -1, 0)  # aborted transactions, read replica, records

    def _describe(self, made: Writer) -> None:
        made.int32(0)
        made.unsigned_varint(2)  # one topic
        made.int16(0)
        made.nullable_string("orders")
        made.buffer += bytes(16)  # its id
        made.boolean(False)
        made.array(tuple(self.leaders), lambda number: self._describe_one(made, number))
        made.int32(0)
        made.tags()
        made.int8(-1)  # nothing is left
        made.tags()

    def _describe_one(self, made: Writer, number: int) -> None:
        made.numbers(_LED, 0, number, self.leaders[number], self.epoch)
        for several in ((3, 1, 2), (2, 1), (), (), ()):  # replicas, in sync, eligible and others
            made.array(several, made.int32)
        made.tags()


def probe_of(broker: Broker) -> ReplicaProbe:
    return ReplicaProbe(find_kafka("4.1.1"), cast("Wire", broker))


def test_each_replica_has_its_end_its_high_watermark_and_as_a_leader_its_last_stable_offset() -> (
    None
):
    broker = Broker()
    assert probe_of(broker).states(1, list(WHERES)) == (
        ReplicaState(1, 5, 4, 3),
        ReplicaState(1, 6, 6, None),
        ReplicaState(1, 7, 7, None),
    )
    assert broker.asked == [LIST_OFFSETS, FETCH, LIST_OFFSETS]


def test_nothing_is_made_anew_of_the_same_answers_and_of_each_new_one_all_that_it_says() -> None:
    broker = Broker()
    probe = probe_of(broker)
    first = probe.states(1, list(WHERES))
    assert probe.states(1, list(WHERES)) is first

    broker.ends[2], broker.marks[1] = 17, 5
    assert [state.log_end_offset for state in probe.states(1, WHERES)] == [5, 6, 17]
    broker.stable = {1: 2}
    assert probe.states(1, WHERES) == (
        ReplicaState(1, 5, 4, None),
        ReplicaState(1, 6, 5, 2),
        ReplicaState(1, 17, 7, None),
    )
    del broker.ends[1]
    assert probe.states(1, WHERES) == (
        ReplicaState(1, 5, 4, None),
        ReplicaState(1, None, None, None),
        ReplicaState(1, 17, 7, None),
    )
    assert len(first) == 3
    assert first[2].log_end_offset == 7


def test_where_a_log_begins_above_0_its_start_is_asked_for_and_followed() -> None:
    broker = Broker()
    broker.starts |= {1: 4}
    probe = probe_of(broker)
    expected = (ReplicaState(1, 5, 4, 3), ReplicaState(1, 6, 6, None), ReplicaState(1, 7, 7, None))

    assert probe.states(1, WHERES) == expected
    assert broker.asked == [LIST_OFFSETS, FETCH, LIST_OFFSETS, FETCH, LIST_OFFSETS]
    broker.starts |= {1: 5, 2: 6}
    assert probe.states(1, WHERES) == expected


@pytest.mark.parametrize(
    ("failing", "expected"),
    [((LIST_OFFSETS,), (None, None, None)), ((FETCH,), (5, None, None))],
)
def test_what_a_broker_does_not_answer_now_is_not_what_it_answered_before(
    failing: Sequence[int], expected: tuple[int | None, ...]
) -> None:
    broker = Broker()
    probe = probe_of(broker)
    before = probe.states(1, WHERES)

    broker.failing = failing
    first = probe.states(1, WHERES)[0]
    broker.failing = ()

    assert (first.log_end_offset, first.high_watermark, first.last_stable_offset) == expected
    assert probe.states(1, WHERES) == before


def test_the_newest_of_what_brokers_believe_is_made_anew_where_one_of_them_says_another_thing() -> (
    None
):
    brokers = {1: Broker(), 2: Broker()}
    metadata = KRaftMetadata({}, {number: probe_of(each) for number, each in brokers.items()})
    try:
        first = metadata.partitions(WHERES)
        again = metadata.partitions(list(WHERES))
        brokers[2].epoch, brokers[2].leaders = 2, {0: 2, 1: 2, 2: -1}
        moved = metadata.partitions(WHERES)
        few = metadata.partitions(WHERES[1:])
    finally:
        metadata.close()

    assert again is first
    assert [first[where].leader for where in WHERES] == [1, 2, 2]
    assert [(moved[where].leader, moved[where].leader_epoch) for where in WHERES] == [
        (2, 2), (2, 2), (-1, 2)
    ]  # fmt: skip
    assert (moved[WHERES[0]].replicas, moved[WHERES[0]].isr) == ((3, 1, 2), (1, 2))
    assert list(few) == list(WHERES[1:])
