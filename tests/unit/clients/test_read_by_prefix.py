"""A group that reads every topic whose name begins as it is told."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any, cast

import pytest
from tests.unit.clients.conftest import ENDED, READY, Launching
from tests.unit.clients.orders import Orders, no_topics

from highwater.adapters.confluent.holding import matching
from highwater.harness.clients.group import Group, Ways
from highwater.harness.clients.member import Member
from highwater.harness.errors import DeadlineError, UsageError
from highwater.harness.topics import Topics
from highwater.harness.versions.catalogue import find_kafka
from highwater.harness.workloads.pattern import Pattern


def test_a_group_reads_what_begins_as_it_is_told(launching: Launching) -> None:
    """Of a topic that is created later its members are not told: their library finds it."""
    program = f"import json; {READY} asked = json.loads(sys.stdin.readline()); "
    program += "say(json.dumps({**asked, 'event': 'heard'})); "
    program += """say('{"event": "assigned", "partitions": [["shop-orders", 0]]}'); """
    heard: list[Mapping[str, Any]] = []
    member = Member(launching(program + ENDED), lambda _name, event: heard.append(event))
    shop = no_topics()
    orders, later = Orders(name="shop-orders"), Orders(name="shop-orders-south")
    shop.there.extend([orders, Orders(name="shop-returns")])

    with Group(
        "billing",
        [],
        [member],
        Ways(lambda _wheres: {}, lambda _order: pytest.fail("nobody"), shop),
    ) as group:
        with pytest.raises(UsageError, match="begins with, of orders, returns, saw 'bills'"):
            group.subscribe_by_prefix("bills")
        group.subscribe_by_prefix("orders")
        (follower,) = shop.followers
        follower.take_on(later)

        assert (follower.prefix, later.clients) == ("shop-orders", ["billing"])
        with pytest.raises(DeadlineError, match="the partitions of billing to be assigned"):
            group.await_assigned(0.1)
        assert member.order["topics"] == ["shop-orders", "shop-orders-south"]
        group.subscribe(orders)
        assert (shop.followers, "prefix" in member.order) == ([], False)
    subscribed = [event["topics"] for event in heard if event["event"] == "subscribed"]
    assert subscribed == [[orders.name], [orders.name, later.name], [orders.name]]
    asked = [event["prefix"] for event in heard if event["event"] == "heard"]
    assert asked == ["shop-orders"]
    assert later.clients == []


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


@pytest.mark.parametrize("prefix", ["", None, "shop-orders", "order.", 3])
def test_what_no_topic_begins_with_is_refused(prefix: Any) -> None:
    shop = no_topics()
    shop.there.append(Orders(name="shop-orders"))
    with pytest.raises(UsageError, match="begins with, of orders, saw "):
        shop.beginning_with(prefix)


def test_a_dot_is_a_dot() -> None:
    assert matching("shop.eu-orders") == "^shop[.]eu-orders.*"
