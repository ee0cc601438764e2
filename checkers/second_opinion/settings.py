"""What a topic was set to, by run.json."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

MOST_DIGITS = 18  # of a number that is one
INTERNAL = {"__consumer_offsets", "__transaction_state"}


class Settings:
    """Of one topic: its own, or else those of its brokers."""

    def __init__(self, identity: Mapping[str, Any], topic: str) -> None:
        own = _mapping(identity.get("topics")).get(topic)
        if not isinstance(own, Mapping):
            own = identity.get("topic_settings")
        self._settings = {**_mapping(identity.get("settings")), **_mapping(own)}
        self._topic = topic

    @property
    def is_compacted(self) -> bool:
        other = self._settings.get("log.cleanup.policy", "")
        policy = str(self._settings.get("cleanup.policy", other))
        return self._topic in INTERNAL or "compact" in re.split(r"\W+", policy)

    @property
    def is_tiered(self) -> bool:
        return str(self._settings.get("remote.storage.enable")).lower() == "true"

    @property
    def deletes(self) -> bool:
        told = {name: str(limit).strip() for name, limit in self._settings.items()}
        brokers = told.get("log.retention.minutes", told.get("log.retention.hours", "-1"))
        age = told.get("retention.ms", told.get("log.retention.ms", brokers))
        size = told.get("retention.bytes", told.get("log.retention.bytes", "-1"))
        return age != "-1" or size != "-1"

    @property
    def min_insync(self) -> int:
        told = str(self._settings.get("min.insync.replicas")).strip().removeprefix("+")
        readable = told.isascii() and told.isdecimal() and len(told) <= MOST_DIGITS
        return max(1, int(told)) if readable else 1


def _mapping(content: object) -> Mapping[str, Any]:
    return content if isinstance(content, Mapping) else {}
