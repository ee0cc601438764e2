"""What a topic was set to, as both judges read it from run.json."""

from __future__ import annotations

from typing import Any

import pytest

from highwater.checkers.promises import promises_of
from highwater.checkers.second_opinion.settings import Settings

BROKERS = {"log.retention.ms": "60000", "min.insync.replicas": "2"}


def deletes(identity: dict[str, Any]) -> set[bool]:
    """By both."""
    return {promises_of([], identity).topic("orders").deletes, Settings(identity, "orders").deletes}


def least_isr(identity: dict[str, Any]) -> set[int]:
    return {promises_of([], identity).least_isr("orders"), Settings(identity, "orders").min_insync}


@pytest.mark.parametrize(
    ("told", "least"),
    [
        ("2", 2), (2, 2), (" 2 ", 2), ("+2", 2),  # as Kafka reads it
        ("1_0", 1), ("2.0", 1), ("²", 1), ("", 1), (None, 1), ([], 1), ("9" * 5000, 1), ("-3", 1),
    ],
)  # fmt: skip
def test_a_number_is_read_as_kafka_reads_it_or_not_at_all(told: object, least: int) -> None:
    assert least_isr({"settings": {"min.insync.replicas": told}}) == {least}


@pytest.mark.parametrize(
    ("brokers", "own", "expected"),
    [
        ({}, {}, False),
        (BROKERS, {}, True),
        (BROKERS, {"retention.ms": "-1"}, False),
        (BROKERS, {"retention.ms": "-1", "retention.bytes": "1000"}, True),
        ({"log.retention.bytes": "9"}, {"retention.bytes": -1}, False),
        ({"log.retention.ms": "-1", "log.retention.hours": "1"}, {}, False),
        ({"log.retention.hours": "1"}, {}, True),
        ({"log.retention.minutes": " -1 ", "log.retention.hours": "1"}, {}, False),
    ],
)
def test_the_topics_own_limit_counts_and_then_the_brokers_most_exact_one(
    brokers: dict[str, Any], own: dict[str, Any], expected: bool
) -> None:
    assert deletes({"settings": brokers, "topics": {"orders": own}}) == {expected}


@pytest.mark.parametrize("topics", [{"orders": None}, {"orders": []}, [], None, {}])
def test_of_a_topic_that_nothing_is_told_of_the_common_settings_are_known(topics: object) -> None:
    identity = {"topics": topics, "topic_settings": {"min.insync.replicas": "2"}}

    assert least_isr(identity) == {2}
