"""What a topic was set to, by run.json."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

MOST_DIGITS = 18  # of a number that is one
INTERNAL = {"__consumer_offsets", "__transaction_state"}


class Settings:
    """Of one topic: its own, or else those of its brokers, of which some may have others."""

    def __init__(self, identity: Mapping[str, Any], topic: str) -> None:
        own = _mapping(identity.get("topics")).get(topic)
        if not isinstance(own, Mapping):
            own = identity.get("topic_settings")
        self._settings = {**_mapping(identity.get("settings")), **_mapping(own)}
        self._others = [{**each, **_mapping(own)} for each in brokers_of(identity)]
        self._topic = topic

    @property
    def is_compacted(self) -> bool:
        policies = [
            str(each.get("cleanup.policy", each.get("log.cleanup.policy", "")))
            for each in self._others
        ]
        return self._topic in INTERNAL or "compact" in re.split(r"\W+", " ".join(policies))

    @property
    def is_tiered(self) -> bool:
        return str(self._settings.get("remote.storage.enable")).lower() == "true"

    @property
    def deletes(self) -> bool:
        return any(_deletes(each) for each in self._others)

    @property
    def min_insync(self) -> int:
        return max(1, number_of(self._settings.get("min.insync.replicas"), 1))


def _deletes(settings: Mapping[str, Any]) -> bool:
    told = {name: str(limit).strip() for name, limit in settings.items()}
    brokers = told.get("log.retention.minutes", told.get("log.retention.hours", "-1"))
    age = told.get("retention.ms", told.get("log.retention.ms", brokers))
    size = told.get("retention.bytes", told.get("log.retention.bytes", "-1"))
    return age != "-1" or size != "-1"


def brokers_of(identity: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The settings of all brokers, and those of each one that has some of its own."""
    common = dict(_mapping(identity.get("settings")))
    own = _mapping(identity.get("broker_settings"))
    return [common] + [{**common, **_mapping(each)} for each in own.values()]


def longest_ms(identity: Mapping[str, Any], name: str, at_least: int) -> int:
    """The longest time that any broker was set to."""
    return max(at_least, *(number_of(each.get(name), 0) for each in brokers_of(identity)))


def number_of(told: object, otherwise: int) -> int:
    text = str(told).strip()
    digits = text.removeprefix("+")
    readable = digits.isascii() and digits.isdecimal() and len(digits) <= MOST_DIGITS
    return int(digits) if readable else otherwise


def _mapping(content: object) -> Mapping[str, Any]:
    return content if isinstance(content, Mapping) else {}
