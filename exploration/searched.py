"""The cluster and the topics of every search, as a scenario says them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

SETTINGS: Mapping[str, str] = {
    "replica.fetch.wait.max.ms": "40",
    "replica.fetch.backoff.ms": "50",
    # A broker that is to follow somebody else first stops its fetcher, with a lock held, and does
    # not answer anybody before the held answer's socket times out: 30 s by default.
    "replica.socket.timeout.ms": "800",
    # A coordinator sends a marker again that is not answered for so long: 30 s by default.
    "request.timeout.ms": "2000",
    # As of the topic: one broker may lose its power.
    "transaction.state.log.min.isr": "2",
    "min.insync.replicas": "2",  # of what groups commit
}
IMPATIENT = 1
BROKER_SETTINGS: Mapping[int, Mapping[str, str]] = {
    IMPATIENT: {"replica.lag.time.max.ms": "1000"}  # the others wait a minute: both kinds of leader
}
TOPIC_SETTINGS: Mapping[str, str] = {"min.insync.replicas": "2"}
SEARCHED: Mapping[str, Any] = {  # the setting of every search, as a scenario says it
    "settings": SETTINGS,
    "broker_settings": BROKER_SETTINGS,
    "topic_settings": TOPIC_SETTINGS,
}
