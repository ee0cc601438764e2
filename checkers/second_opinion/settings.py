"""What a topic was set to, by run.json."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

INTERNAL = {"__consumer_offsets", "__transaction_state"}


class Settings:
    """Of one topic: its own, or else those of its brokers."""

    def __init__(self, identity: Mapping[str, Any], topic: str) -> None:
        own = _mapping(identity.get("topics")).get(topic, identity.get("topic_settings"))
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
        names = {f"retention.{what}" for what in ("ms", "bytes", "minutes", "hours")}
        limits = [
            str(limit)
            for name, limit in self._settings.items()
            if name in names or name in {f"log.{each}" for each in names}
        ]
        return any(limit != "-1" for limit in limits)

    @property
    def min_insync(self) -> int:
        told = str(self._settings.get("min.insync.replicas"))
        return int(told) if told.isdecimal() else 1


def _mapping(content: object) -> Mapping[str, Any]:
    return content if isinstance(content, Mapping) else {}
