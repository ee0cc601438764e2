"""What a consumer is handed at once is sorted, and its order is kept where it means something."""

from __future__ import annotations

from typing import Any

from confluent_kafka import KafkaError

from highwater.harness.workloads.handed import Records, sorted_out
from highwater.harness.workloads.pattern import Markings


class Message:
    def __init__(
        self,
        partition: int,
        offset: int | None,
        error: KafkaError | None = None,
        value: bytes | None = b"v",
    ) -> None:
        self.topic = lambda: "orders"
        self.partition = lambda: partition
        self.offset = lambda: offset
        self.error = lambda: error
        self.value = lambda: value
        self.key = lambda: None


def at_end(partition: int, offset: int | None) -> Message:
    return Message(partition, offset, KafkaError(KafkaError._PARTITION_EOF))


def handed(*messages: Any) -> Any:
    return sorted_out(messages, Markings({}))


def test_records_of_each_partition_keep_their_order() -> None:
    found = handed(Message(0, 5), Message(1, 7), Message(0, 6, value=None), Message(0, 5))

    assert found.records == {
        ("orders", 0): Records([5, 6, 5], [b"v", b"", b"v"], [None] * 3),
        ("orders", 1): Records([7], [b"v"], [None]),
    }
    assert [each.position for each in found.records.values()] == [6, 8]


def test_an_end_that_records_follow_is_none() -> None:
    found = handed(at_end(0, 3), at_end(1, 9), Message(0, 3), at_end(2, None), at_end(3, 0))

    assert found.ends == {("orders", 1): 9, ("orders", 3): 0}
    assert not found.odd


def test_errors_and_records_without_an_offset_are_odd() -> None:
    broken, lost = Message(0, 4, KafkaError(KafkaError._BAD_MSG)), Message(0, None)

    found = handed(broken, lost)

    assert (found.odd, found.records, found.ends) == ([broken, lost], {}, {})


def test_spans_are_of_offsets_that_follow_upon_each_other() -> None:
    assert Records([4]).spans() == [(4, 5)]
    assert Records([4, 5, 6, 9, 10, 3, 4]).spans() == [(4, 7), (9, 11), (3, 5)]
    assert Records([4, 4, 5]).spans() == [(4, 5), (4, 6)]
