"""In whatever answer says where a broker is, the gate says where itself is."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from functools import cache

import pytest

from highwater.harness.gate.headers import RequestHeader
from highwater.harness.gate.messages import addresses
from highwater.harness.gate.messages.declining import answer_frame, read_answer
from highwater.harness.gate.messages.schemas import Field, Schemas
from highwater.harness.gate.primitives import DecodeError
from highwater.harness.versions.jars import message_jars

BROKER, GATE, OTHER = ("b", 9092), ("127.0.0.1", 19092), ("other", 9092)
TOPIC_ID = uuid.UUID(int=7)
# Controllers tell one another where they are (Vote, BeginQuorumEpoch, EndQuorumEpoch,
# DescribeQuorum, FetchSnapshot, UpdateRaftVoter); members of a streams group where they are
# themselves (StreamsGroupHeartbeat, StreamsGroupDescribe).
OF_OTHERS = {52, 53, 54, 55, 59, 82, 88, 89}


@cache
def schemas() -> Schemas:
    return Schemas(message_jars())


def first_named(fields: tuple[Field, ...]) -> int | None:
    """The version from which on there is a host, and a port beside it."""
    by_name = {each.name: each for each in fields}
    if {"Host", "Port"} <= by_name.keys():
        return by_name["Host"].versions.least
    found = []
    for each in fields:
        within = first_named(each.fields)
        if within is not None:
            found.append(max(within, each.versions.least))
    return min(found, default=None)


def naming() -> Iterator[tuple[int, int]]:
    for (api, part), messages in schemas()._messages.items():
        for message in messages:
            first = first_named(message.fields) if part == "response" else None
            if first is not None:
                yield api, first


def test_every_answer_that_names_a_broker_is_known() -> None:
    named = {(api, first) for api, first in naming() if api not in OF_OTHERS}

    assert {api for api, _ in named} == addresses._NAMED_FROM.keys()
    for api, first in named:
        assert addresses.may_name(api, first)
        assert not addresses.may_name(api, addresses._NAMED_FROM[api] - 1)


def metadata(version: int, *brokers: tuple[str, int]) -> tuple[RequestHeader, bytes]:
    header = RequestHeader(3, version, 5, "c", 0)
    message = schemas().response(3, version)
    told = {
        "Brokers": [
            {"NodeId": number, "Host": host, "Port": port}
            for number, (host, port) in enumerate(brokers, start=1)
        ],
        "Topics": [{"Name": "t", "TopicId": TOPIC_ID} if version >= 10 else {"Name": "t"}],
    }
    return header, answer_frame(message, header, told)


@pytest.mark.parametrize("version", [1, 7, 9, 12, 13])
def test_the_gates_address_takes_the_place_of_the_brokers(version: int) -> None:
    header, raw = metadata(version, BROKER, OTHER)

    found = addresses.Readdressed(schemas(), header, raw, {BROKER: GATE})

    assert found.frame is not None
    _, values = read_answer(schemas(), header, found.frame)
    assert [(each["Host"], each["Port"]) for each in values["Brokers"]] == [GATE, OTHER]
    assert found.strangers == [OTHER]
    assert [each["TopicId"] for each in found.topics] == ([TOPIC_ID] if version >= 10 else [])


def test_a_new_leader_that_an_answer_to_produce_names_is_behind_the_gate_as_well() -> None:
    header, message = RequestHeader(0, 10, 5, "c", 0), schemas().response(0, 10)
    told = {"NodeEndpoints": [{"NodeId": 2, "Host": BROKER[0], "Port": BROKER[1]}]}
    raw = answer_frame(message, header, told)

    found = addresses.Readdressed(schemas(), header, raw, {BROKER: GATE})

    assert found.frame is not None
    _, values = read_answer(schemas(), header, found.frame)
    assert [(each["Host"], each["Port"]) for each in values["NodeEndpoints"]] == [GATE]


def test_an_answer_that_names_nobody_stays_as_it_is() -> None:
    header, message = RequestHeader(0, 10, 5, "c", 0), schemas().response(0, 10)
    raw = answer_frame(message, header, {})

    assert addresses.Readdressed(schemas(), header, raw, {BROKER: GATE}).frame is None


def test_a_coordinator_that_there_is_not_is_no_stranger() -> None:
    header, message = RequestHeader(10, 0, 5, "c", 0), schemas().response(10, 0)
    nobody = {"ErrorCode": 15, "NodeId": -1, "Host": "", "Port": -1}
    raw = answer_frame(message, header, nobody)

    assert addresses.Readdressed(schemas(), header, raw, {BROKER: GATE}).strangers == []


def test_what_is_no_such_answer_is_refused() -> None:
    header, raw = metadata(12, BROKER)

    with pytest.raises(DecodeError):
        addresses.Readdressed(schemas(), header, raw[:20], {BROKER: GATE})
