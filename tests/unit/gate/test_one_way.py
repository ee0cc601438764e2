"""Requests that nobody answers (acks=0), seen or not, change nothing for those that are."""

from __future__ import annotations

import pytest
from tests.unit.gate.asking import SCHEMAS, Client, answer, batch, produce, request
from tests.unit.gate.conftest import FakeBroker

from highwater.harness.gate.acks import acks_of, lacks_acks
from highwater.harness.gate.client import GateProcess
from highwater.harness.gate.dialogue import Dialogue
from highwater.harness.gate.frames import TopicNames
from highwater.harness.gate.headers import METADATA, PRODUCE, encode_request, header_bytes_needed
from highwater.harness.gate.heads import begun
from highwater.harness.versions.jars import message_jars

VERSIONS = range(14)
MOST_UNANSWERED = 4096


@pytest.mark.parametrize("is_seen", [True, False], ids=["seen", "unseen"])
def test_what_many_that_nobody_answers_come_behind_is_answered_with_the_gates_address(
    gate: GateProcess, broker: FakeBroker, client: Client, *, is_seen: bool
) -> None:
    if is_seen:
        gate.rows.see(message_jars())
    peer = client(b"")
    gate.describe(message_jars())
    gate.readdress({("127.0.0.1", broker.port): peer.sock.getpeername()[:2]})
    peer.send(request(METADATA, 9, 1, {"Topics": None}))
    for number in range(MOST_UNANSWERED + 1):
        peer.send(produce(2 + number, batch(-1, -1, -1, 5), acks=0))
    for _ in range(MOST_UNANSWERED + 2):
        broker.next_frame()

    broker.sockets[-1].sendall(_told(broker.port))

    assert peer.receive() == _told(peer.sock.getpeername()[1])


def _told(port: int) -> bytes:
    known = {"NodeId": 3, "Host": "127.0.0.1", "Port": port, "Rack": None}
    values = {"Brokers": [known], "ClusterId": "x", "ControllerId": 3, "Topics": []}
    return answer(METADATA, 9, 1, values)


@pytest.mark.parametrize("transaction", [None, "tx"])
@pytest.mark.parametrize("version", VERSIONS)
def test_a_request_says_at_its_beginning_whether_anybody_answers(
    version: int, transaction: str | None
) -> None:
    more = {"TransactionalId": transaction} if version >= 3 else {}
    for acks in (-1, 0, 1):
        whole = request(PRODUCE, version, 1, {**more, "Acks": acks, "TopicData": []})
        there = [acks_of(whole[:end]) for end in range(14, len(whole) + 1)]

        assert set(there) == {None, acks}
        assert there == sorted(there, key=lambda each: each is not None)  # once there, it stays
        assert [lacks_acks(whole[:end]) for end in range(14, len(whole) + 1)] == [
            each is None for each in there
        ]


def test_of_other_requests_nothing_is_waited_for() -> None:
    for each in (METADATA, *range(1, 40)):
        head = encode_request(each, 0, 1, "me", b"")
        assert (acks_of(head), lacks_acks(head)) == (None, False)


def test_a_request_that_is_too_short_for_its_acks_waits_for_no_more() -> None:
    for body in (b"", b"\x00", b"\xff\xff\xff"):
        whole = encode_request(PRODUCE, 8, 1, "me", body)
        assert len(whole) >= header_bytes_needed(whole, len(whole) - 4)

        frame = begun("request", _dialogue(), bytearray(whole), 0)

        assert frame is not None
        assert (frame.api_key, frame.length) == (PRODUCE, len(whole))


def test_a_name_that_is_longer_than_what_is_looked_at_waits_for_no_more() -> None:
    values = {"TransactionalId": "x" * 32_000, "Acks": 0, "TopicData": []}
    whole = request(PRODUCE, 9, 1, values)
    long = whole.replace(b"\x00\x02me", b"\x7d\x00" + b"m" * 32_000)
    head = bytearray((len(long) - 4 + (1 << 20)).to_bytes(4, "big") + long[4:])

    assert begun("request", _dialogue(), head, 0) is not None


def test_who_asks_for_no_answer_alone_has_all_answers() -> None:
    dialogue = _dialogue()
    for number, acks in ((1, 0), (2, 0), (3, -1)):
        whole = bytearray(produce(number, batch(-1, -1, -1, 5), acks=acks))
        assert begun("request", dialogue, whole, 0) is not None
        assert dialogue.is_answered == (acks == 0)


def _dialogue() -> Dialogue:
    return Dialogue(1, TopicNames(), lambda: None, lambda: SCHEMAS)
