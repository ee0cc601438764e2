"""A group that reads every topic whose name begins as it is told."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from types import SimpleNamespace
from typing import Any, cast

import pytest
from tests.unit.clients.conftest import ENDED, READY, Launching
from tests.unit.clients.orders import Orders, no_topics

from highwater.adapters.confluent.holding import matching
from highwater.harness.clients.group import Group, Ways
from highwater.harness.clients.member import Member
from highwater.harness.errors import DeadlineError, UsageError
from highwater.harness.probes.wire import AnswerError
from highwater.harness.topics import Topics
from highwater.harness.versions.catalogue import find_kafka
from highwater.harness.workloads.pattern import Pattern

TOLD = (
    f"import json; {READY} asked = json.loads(sys.stdin.readline()); "
    "say(json.dumps({**asked, 'event': 'heard'})); "
    """say('{"event": "assigned", "partitions": [["shop-orders", 0]]}'); """
)


def ways(topics: Topics) -> Ways:
    """Of a group in which nobody takes anybody's place."""
    return Ways(lambda _wheres: {}, lambda _order: pytest.fail("nobody asked"), topics)


def test_a_group_reads_what_begins_as_it_is_told(launching: Launching) -> None:
    """Of a topic that is created later its members are not told: their library finds it."""
    heard: list[Mapping[str, Any]] = []
    member = Member(launching(TOLD + ENDED), lambda _name, event: heard.append(event))
    shop = no_topics()
    orders, later = Orders(name="shop-orders"), Orders(name="shop-orders-south")
    shop.there.extend([orders, Orders(name="shop-returns")])

    with Group("billing", [], [member], ways(shop)) as group:
        with pytest.raises(UsageError, match="begins with, of orders, returns, saw 'bills'"):
            group.subscribe_by_prefix("bills")
        group.subscribe_by_prefix("orders")
        (follower,) = shop.followers
        follower.expect("shop-orders-west")
        follower.give_up("shop-orders-west")
        follower.expect(later.name)
        follower.take_on(later)

        assert (follower.prefix, later.clients) == ("shop-orders", ["billing"])
        with pytest.raises(DeadlineError, match="the partitions of billing to be assigned"):
            group.await_assigned(0.1)
        assert member.order["topics"] == ["shop-orders", "shop-orders-south"]
        group.subscribe(orders)
        assert (shop.followers, "prefix" in member.order) == ([], False)
    subscribed = [event["topics"] for event in heard if event["event"] == "subscribed"]
    assert subscribed == [
        [orders.name],
        [orders.name, "shop-orders-west"],
        [orders.name],
        [orders.name, later.name],
        [orders.name],
    ]
    asked = [event["prefix"] for event in heard if event["event"] == "heard"]
    assert asked == ["shop-orders"]
    assert later.clients == []


def test_a_member_that_reads_by_name_takes_on_nothing(launching: Launching) -> None:
    heard: list[Mapping[str, Any]] = []
    member = Member(launching(READY + ENDED), lambda _name, event: heard.append(event))
    member.order = {**member.order, "topics": ["shop-orders"]}

    member.expect("shop-orders-south")

    assert (member.order["topics"], heard) == (["shop-orders"], [])


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (DeadlineError("late"), ["expect", "take_on"]),  # it may be there all the same
        (AnswerError("creating it", 37), ["expect", "give_up"]),
    ],
)
def test_a_group_hears_what_has_become_of_a_topic(
    monkeypatch: pytest.MonkeyPatch, error: Exception, told: list[str]
) -> None:
    heard: list[str] = []

    def refuse(*_: object) -> None:
        raise error

    monkeypatch.setattr("highwater.harness.topics.create_topic", refuse)
    words = {each: partial(heard_of, heard, each) for each in ("expect", "take_on", "give_up")}
    kafka = find_kafka("4.1.1")
    cluster = {"brokers": (1, 2, 3), "kafka": kafka, "spec": SimpleNamespace(settings={})}
    record = SimpleNamespace(topic=lambda *_: None)
    sampler = SimpleNamespace(watch=lambda *_: None)
    scene: Any = SimpleNamespace(cluster=SimpleNamespace(**cluster), record=record, sampler=sampler)
    topics = Topics(scene, "shop")
    topics.followers.append(SimpleNamespace(prefix="shop-orders", **words))

    with pytest.raises(type(error)):
        topics.create("orders-south", 1, 3, None)

    assert heard == told


def heard_of(heard: list[str], word: str, _what: object) -> None:
    heard.append(word)


def test_a_group_that_may_not_read_a_topic_reads_none_of_them(launching: Launching) -> None:
    member = Member(launching(READY + ENDED), lambda _name, _event: None)
    shop = no_topics()
    orders, foreign = Orders(name="shop-orders"), Orders(name="shop-orders-billed")
    foreign.is_foreign = True
    shop.there.extend([orders, foreign])

    with Group("billing", [], [member], ways(shop)) as group:
        with pytest.raises(UsageError, match="an application sends to shop-orders-billed"):
            group.subscribe_by_prefix("orders")
        assert (orders.clients, shop.followers) == ([], [])


def test_a_topic_that_members_are_to_know_before_they_read_it_is_not_created() -> None:
    kafka = find_kafka("4.1.1")
    told = {"brokers": (1, 2, 3), "kafka": kafka, "spec": SimpleNamespace(settings={})}
    topics = Topics(cast("Any", SimpleNamespace(cluster=SimpleNamespace(**told))), "shop")
    topics.names.append("shop-orders-north")  # it has been deleted
    topics.followers.append(SimpleNamespace(prefix="shop-orders", take_on=pytest.fail))

    why = "begins as shop-orders-north does: expected one without a pattern, and the first"
    with pytest.raises(UsageError, match=why):
        topics.create("orders-north", 1, 3, None)
    with pytest.raises(UsageError, match="begins as shop-orders-south does"):
        topics.create("orders-south", 1, 3, None, Pattern("key"))


@pytest.mark.parametrize("prefix", ["", None, "shop", "shop-orders", "order.", 3])
def test_what_no_topic_begins_with_is_refused(prefix: Any) -> None:
    shop = no_topics()
    shop.there.extend([Orders(name="shop"), Orders(name="shop-orders")])
    with pytest.raises(UsageError, match="begins with, of orders, saw "):
        shop.beginning_with(prefix)


def test_a_dot_is_a_dot() -> None:
    assert matching("shop.eu-orders") == "^shop[.]eu-orders.*"
