"""What is damaged goes on as it is: who it is for judges it, and not the gate that records it."""

from __future__ import annotations

import random
import struct

import pytest
from tests.unit.gate.asking import Client, Told
from tests.unit.gate.conftest import framed
from tests.unit.gate.oracles import schemas, some, versions_of

from highwater.harness.gate import traffic
from highwater.harness.gate.client import GateProcess
from highwater.harness.gate.frames import TopicNames
from highwater.harness.gate.headers import (
    OFFSET_COMMIT,
    PRODUCE,
    RequestHeader,
    encode_request,
)
from highwater.harness.gate.messages import codec
from highwater.harness.gate.messages.declining import read_answer, read_request
from highwater.harness.gate.messages.schemas import Message
from highwater.harness.gate.primitives import DecodeError

SPOKEN = framed(struct.pack(">i", 1) + b"its broker spoke")
NULL, NOBODY = struct.pack(">i", -1), struct.pack(">h", -1)
ONE_TOPIC = struct.pack(">ih", 1, 1) + b"t"
ASKED = struct.pack(">hhi", -1, -1, 1000)  # of a Produce request, before its topics
COMMITTING = struct.pack(">ihq", 1, 0, -1)  # of an OffsetCommit request, between group and topics


@pytest.mark.parametrize(
    "asked",
    [
        (PRODUCE, 8, ASKED + NULL),
        (PRODUCE, 8, ASKED + ONE_TOPIC + NULL),
        (OFFSET_COMMIT, 2, struct.pack(">h", 1) + b"g" + COMMITTING + NULL),
        (OFFSET_COMMIT, 2, NOBODY + COMMITTING + struct.pack(">i", 0)),
    ],
    ids=["no topics", "no partitions", "commit of no topics", "commit of no group"],
)
def test_a_request_with_null_where_none_may_be_is_for_its_broker_to_judge(
    gate: GateProcess, told: Told, client: Client, asked: tuple[int, int, bytes]
) -> None:
    api, version, body = asked

    assert client(SPOKEN).ask(encode_request(api, version, 1, "me", body)) == SPOKEN

    gate.rows.give_up()
    (said,) = [each["text"] for each in gate.events() if each["event"] == "warning"]
    assert "is null, which it may not be" in said
    assert told == []


@pytest.mark.usefixtures("told")
def test_an_answer_with_null_where_none_may_be_reaches_its_client(client: Client) -> None:
    topics = struct.pack(">ih", 1, 6) + b"orders" + NULL
    damaged = framed(struct.pack(">i", 1) + topics + struct.pack(">i", 0))
    asked = encode_request(PRODUCE, 8, 1, "me", ASKED + struct.pack(">i", 0))

    assert client(damaged).ask(asked) == damaged


@pytest.mark.parametrize("api", sorted(traffic.APIS))
def test_whatever_bytes_are_changed_is_read_or_said(api: int) -> None:
    chance, outcomes = random.Random(api), {True: 0, False: 0}
    for number, version in enumerate(versions_of(api, schemas()) * 60):
        asked = _changed(schemas().request(api, version), version, chance)
        told = _changed(schemas().response(api, version), version, chance)
        header = RequestHeader(api, version, number, "me", 8)
        try:
            list(traffic.asked(api, read_request(schemas(), asked, header), TopicNames()))
            traffic.answered(api, read_answer(schemas(), header, told)[1])
            outcomes[True] += 1
        except DecodeError:
            outcomes[False] += 1

    assert min(outcomes.values()) > 20


def _changed(message: Message, version: int, chance: random.Random) -> bytes:
    """A message behind a header of eight bytes, some bytes of which are others."""
    values = some(message.fields, version, chance)
    tags = b"\x00" if version in message.flexible else b""
    content = bytearray(tags + codec.write(message, version, values))
    for _ in range(chance.randrange(3)):
        content[chance.randrange(len(content))] = chance.choice([0, 1, 0x7F, 0xFF])
    return bytes(8) + bytes(content)
