"""How the client library of a group's member is set, and what it would refuse."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from confluent_kafka import Consumer, KafkaException

from highwater.harness.errors import UsageError
from highwater.harness.workloads.reaching import reached
from highwater.harness.workloads.reader import SETTINGS

NOWHERE = "127.0.0.1:1"  # nobody is asked anything before the member subscribes


def configured(order: Mapping[str, Any]) -> dict[str, Any]:
    """How the library is set."""
    settings = order["settings"]
    own: dict[str, Any] = {
        "enable.partition.eof": True,
        # Partitions that the topic is given are read a second later, not five minutes.
        "topic.metadata.refresh.interval.ms": 1_000,
        **reached(order["bootstrap"]),
        "group.id": order["group"],
        "client.id": order["client"],
        "group.protocol": settings["protocol"],
        "enable.auto.commit": settings["commits"] == "auto",
    }
    if settings["protocol"] == "classic":
        own["session.timeout.ms"] = 6_000
    if settings["static"]:
        own["group.instance.id"] = order["seat"]
    return {**SETTINGS, **own, **settings["library"]}


def refuse_library(settings: Mapping[str, Any]) -> None:
    """Raises UsageError for settings that librdkafka refuses, in its words.

    A member that finds out would end its process, and say so to nobody but a log. `settings` are
    those of an order.
    """
    seat = {"client": "a member", "group": "a group", "seat": "a seat"}
    try:
        Consumer(configured({**seat, "bootstrap": NOWHERE, "settings": settings})).close()
    except (KafkaException, TypeError, ValueError, OverflowError) as error:
        why = (error.args[0].str() if isinstance(error, KafkaException) else str(error)).strip()
        raise UsageError(f"{settings['library']} cannot be settings of a member: {why}") from error
