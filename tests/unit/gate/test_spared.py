"""AnswerRequests with done and a partition: the others keep what their broker said of them."""

from __future__ import annotations

import random
import uuid
from typing import Any

import pytest
from tests.unit.gate.oracles import every_api, frame_of, schemas, some

from highwater.faults.answer_requests import AnswerRequests
from highwater.harness.errors import UsageError
from highwater.harness.gate.frames import PartitionView
from highwater.harness.gate.headers import RequestHeader
from highwater.harness.gate.messages import codec
from highwater.harness.gate.messages.answerable import NAMED
from highwater.harness.gate.messages.declining import read_answer
from highwater.harness.gate.messages.sparing import PLACED, spared
from highwater.harness.gate.primitives import DecodeError
from highwater.harness.model import TopicPartition

REQUEST_TIMED_OUT = 7
PLACES = ("Index", "PartitionIndex", "Partition")
ERRORS = ("ErrorCode", "PartitionErrorCode")
IN_PARTS = [(name, version) for name, version in every_api() if NAMED[name] in PLACED]


def partitions_in(values: Any, topic: Any = None) -> list[tuple[Any, int, dict[str, Any]]]:
    """The topic, the number and what is said of it, of each that an answer tells, in order."""
    found: list[tuple[Any, int, dict[str, Any]]] = []
    names = [values[name] for name in ("Name", "Topic", "TopicId") if values.get(name)]
    topic = names[0] if names else topic
    for each in values.values():
        for one in each if isinstance(each, list) else ():
            if isinstance(one, dict):
                place = [one[name] for name in PLACES if name in one]
                found += [(topic, place[0], one)] if place else partitions_in(one, topic)
    return found


@pytest.mark.parametrize(("name", "version"), IN_PARTS)
def test_one_partition_has_the_error_and_all_else_is_as_its_broker_said(
    name: str, version: int
) -> None:
    message, header = (
        schemas().response(NAMED[name], version),
        RequestHeader(NAMED[name], version, 7, "me", 0),
    )
    values = some(message.fields, version, random.Random(f"{name}-{version}-spared"))
    raw = frame_of(header, version in message.flexible, codec.write(message, version, values))
    before = partitions_in(read_answer(schemas(), header, raw)[1])
    topic, number, _ = random.Random(version).choice(before)
    is_id = isinstance(topic, uuid.UUID)
    meant = PartitionView(None if is_id else topic, number, str(topic) if is_id else None)

    frame = spared(schemas(), header, raw, (meant,), REQUEST_TIMED_OUT)

    told = read_answer(schemas(), header, frame)[1]
    after = partitions_in(told)
    assert [each[:2] for each in after] == [each[:2] for each in before]
    for (where, at, was), (_, _, now) in zip(before, after, strict=True):
        if (where, at) == (topic, number):
            assert [now[name] for name in ERRORS if name in now] == [REQUEST_TIMED_OUT]
        else:
            assert now == was


def test_what_an_answer_says_beside_its_partitions_stays() -> None:
    message, header = schemas().response(0, 8), RequestHeader(0, 8, 7, "me", 0)
    said = {"Index": 1, "ErrorCode": 0, "BaseOffset": 40, "LogStartOffset": 3}
    topics = [{"Name": "orders", "PartitionResponses": [said, said | {"Index": 2}]}]
    values = {"Responses": topics, "ThrottleTimeMs": 99}
    raw = frame_of(header, flexible=False, body=codec.write(message, 8, values))

    frame = spared(schemas(), header, raw, (PartitionView("orders", 1),), REQUEST_TIMED_OUT)

    told = read_answer(schemas(), header, frame)[1]
    first, second = told["Responses"][0]["PartitionResponses"]
    assert (first["ErrorCode"], first["BaseOffset"], first["LogStartOffset"]) == (7, -1, -1)
    assert (second["ErrorCode"], second["BaseOffset"], second["LogStartOffset"]) == (0, 40, 3)
    assert told["ThrottleTimeMs"] == 99


def test_an_answer_without_the_partition_that_is_meant_is_told() -> None:
    header = RequestHeader(0, 8, 7, "me", 0)
    raw = frame_of(header, flexible=False, body=codec.write(schemas().response(0, 8), 8, {}))

    with pytest.raises(DecodeError, match="tells none of the partitions that are meant"):
        spared(schemas(), header, raw, (PartitionView("orders", 1),), REQUEST_TIMED_OUT)


def test_a_partition_of_what_names_none_is_refused() -> None:
    with pytest.raises(UsageError, match="names no partitions, so none can be meant"):
        AnswerRequests("Heartbeat", "REBALANCE_IN_PROGRESS", where=TopicPartition("orders", 0))
