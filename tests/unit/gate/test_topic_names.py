"""Which topic an id stands for, where brokers differ in what they know."""

from __future__ import annotations

import uuid
from itertools import permutations

import pytest
from tests.unit.gate.asking import SCHEMAS

from highwater.harness.gate.frames import TopicNames
from highwater.harness.gate.headers import METADATA, RequestHeader
from highwater.harness.gate.hub import Hub
from highwater.harness.gate.messages.declining import answer_frame

OLD, NEW, NONE = uuid.UUID(int=7), uuid.UUID(int=8), uuid.UUID(int=0)
KNOWS, STALE, OTHER = 1, 2, 3  # brokers
Told = tuple[int | None, uuid.UUID]


def told(*what: Told) -> TopicNames:
    names = TopicNames()
    for by, topic_id in what:
        names.learn("orders", topic_id, by)
    return names


def test_an_id_has_no_name_any_more_that_a_newer_topic_has() -> None:
    names = told((None, OLD))
    assert names.newest(OLD) == "orders"
    names.learn("orders", NEW)
    names.learn("orders", OLD, STALE)  # a broker that knows no better

    assert (names.newest(OLD), names.newest(NEW)) == (None, "orders")
    assert names.name(None, OLD) == "orders"  # rules mean it all the same


def test_a_broker_that_is_late_does_not_take_the_name_from_the_topic_that_lives() -> None:
    names = told((KNOWS, NEW), (STALE, OLD), (KNOWS, NEW))

    assert names.newest(NEW) == "orders"


@pytest.mark.parametrize("order", sorted(set(permutations([KNOWS, STALE, OTHER]))))
def test_whoever_learns_of_the_newer_one_settles_it_for_all(order: tuple[int, ...]) -> None:
    """Whichever was heard first, and whoever is late."""
    for late in order:
        names = told(*((by, OLD if by == late else NEW) for by in order), (late, NEW))
        for by in order:
            names.learn("orders", OLD, by)  # as by one that has started anew

            assert (names.newest(OLD), names.newest(NEW)) == (None, "orders")


def test_topics_without_ids_have_no_name_by_an_id() -> None:
    names = TopicNames()
    for topic in ("orders", "bills"):
        names.learn(topic, NONE, KNOWS)

    assert names.newest(NONE) is None
    assert names.name(None, NONE) is None


def test_each_broker_tells_for_itself_what_it_knows() -> None:
    hub = Hub(lambda _: None)
    hub.schemas = SCHEMAS
    for by, topic_id in ((KNOWS, NEW), (STALE, OLD), (STALE, NEW), (OTHER, OLD)):
        hub.readdressed(RequestHeader(METADATA, 12, 1, "me", 8), _metadata(topic_id), by)

    assert (hub.names.newest(OLD), hub.names.newest(NEW)) == (None, "orders")


def _metadata(topic_id: uuid.UUID) -> bytes:
    values = {"Topics": [{"Name": "orders", "TopicId": topic_id}]}
    header = RequestHeader(METADATA, 12, 1, "me", 8)
    return answer_frame(SCHEMAS.response(METADATA, 12), header, values)
