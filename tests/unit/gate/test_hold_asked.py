"""HoldAsked: what one client asks for stands, what others ask for does not."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import pytest
from tests.unit.gate.conftest import FakeBroker, Peer

from highwater.faults.hold_asked import HoldAsked
from highwater.harness.errors import UsageError
from highwater.harness.gate.client import GateProcess
from highwater.harness.gate.headers import (
    API_VERSIONS,
    HEARTBEAT,
    OFFSET_COMMIT,
    encode_request,
)
from highwater.harness.gate.rules import Trigger

Connect = Callable[[], Peer]
ONCE = Trigger("once")


def test_a_request_of_the_client_stands_until_the_fault_is_healed(
    connect: Connect, gate: GateProcess, broker: FakeBroker
) -> None:
    cluster = cast("Any", SimpleNamespace(gate=gate))
    commit = encode_request(OFFSET_COMMIT, 2, 1, "member-1", b"a position")
    others = [
        encode_request(HEARTBEAT, 0, 1, "member-1", b"here I am"),
        encode_request(OFFSET_COMMIT, 2, 2, "member-2", b"a position"),
    ]

    with HoldAsked("OffsetCommit", "member-1", ONCE).inject(cluster) as held:
        for each in others:
            connect().send(each)
            assert broker.next_frame() == each
        mine = connect()
        mine.send(commit)
        held.await_standing()
        before = broker.received.empty()

    assert before
    assert broker.next_frame() == commit
    assert mine.receive()


def test_whoever_connects_may_be_left_standing(
    connect: Connect, gate: GateProcess, broker: FakeBroker
) -> None:
    cluster = cast("Any", SimpleNamespace(gate=gate))
    first = encode_request(API_VERSIONS, 0, 1, "member-1", b"")

    with HoldAsked("ApiVersions", "member-1").inject(cluster) as held:
        connect().send(first)
        held.await_standing()
        before = broker.received.empty()

    assert before
    assert broker.next_frame() == first


def test_an_api_that_has_no_such_name_is_refused_in_words() -> None:
    with pytest.raises(UsageError, match="OffsetComit"):
        HoldAsked("OffsetComit", "member-1")


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("Bogus", "x"), "^expected an api of Kafka's, saw 'Bogus'"),
        ((None, "x"), "^expected an api of Kafka's, saw None"),
        ((["OffsetCommit"], "x"), "^expected an api of Kafka's, saw"),
        (("OffsetCommit", None), "HoldAsked: expected the client.id of a client, saw None"),
        (("OffsetCommit", ""), "HoldAsked: expected the client.id of a client, saw ''"),
        (("OffsetCommit", "x", "once"), "HoldAsked: expected a Trigger for often, saw 'once'"),
    ],
)
def test_what_nobody_asks_is_refused_before_it_is_injected(words: Any, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        HoldAsked(*words)
