"""A request with a record for each of many partitions, and who has refused one."""

from __future__ import annotations

import struct

import pytest
from tests.bench.failover_request import body, refused

from highwater.harness.errors import InfrastructureError
from highwater.harness.gate.primitives import Reader
from highwater.harness.model import TopicPartition
from highwater.harness.workloads.requests import CURRENT, LEGACY, Acks, produce_body

TWO = [TopicPartition("many-0", 0), TopicPartition("many-1", 7)]


@pytest.mark.parametrize("version", [LEGACY, CURRENT])
def test_for_one_partition_it_is_as_any_other_request_but_for_its_patience(version: int) -> None:
    alone = bytearray(produce_body(TWO[0], b"content", Acks.ALL, version=version))
    patience = struct.pack(">i", 600_000)

    mine = body(TWO[:1], b"content", version)

    at = mine.index(patience)
    alone[at : at + 4] = patience
    assert mine == bytes(alone)


def test_each_partition_is_under_its_topic() -> None:
    asked = Reader(body([*TWO, TopicPartition("many-0", 2)], b"x", LEGACY), 6, flexible=False)

    def partition() -> tuple[int, bytes]:
        return asked.int32(), bytes(asked.nullable_bytes() or b"")

    told = asked.array(lambda: (asked.string(), asked.array(partition)))
    assert told == (("many-0", ((0, b"x"), (2, b"x"))), ("many-1", ((7, b"x"),)))


@pytest.fixture
def answer() -> bytes:
    """Of three partitions, the second of which has an error."""
    first = struct.pack(">ih6si", 2, 6, b"many-0", 2) + struct.pack(">ihqq", 0, 0, 5, -1)
    second = struct.pack(">ihqq", 1, 6, -1, -1)
    return (
        first + second + struct.pack(">h6sii", 6, b"many-1", 1, 7) + struct.pack(">hqq", 0, 0, -1)
    )


@pytest.mark.parametrize("error", [6, 19, 20])
def test_who_cannot_take_a_record_yet_is_asked_again(answer: bytes, error: int) -> None:
    told = answer.replace(struct.pack(">ih", 1, 6), struct.pack(">ih", 1, error))

    assert refused(Reader(told, 0, flexible=False)) == [TopicPartition("many-0", 1)]


def test_another_error_is_no_acknowledgement(answer: bytes) -> None:
    other = answer.replace(struct.pack(">ih", 1, 6), struct.pack(">ih", 1, 3))

    with pytest.raises(InfrastructureError, match="many-0-1: answered with error 3"):
        refused(Reader(other, 0, flexible=False))
