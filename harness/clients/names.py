"""Which topic a client means: it says Kafka's names, and the record has another for each of them.

No client outlives a topic that it knows (see `Topic.attach`), so that each name it says is of one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from highwater.harness.clients.process import Event
from highwater.harness.model import TopicPartition, told_as
from highwater.harness.topic import Topic

Incarnations = Mapping[str, int]  # of topics that are not the first of their name


def incarnations(topics: Iterable[Topic]) -> Incarnations:
    """As an adapter is told."""
    return {topic.name: topic.incarnation for topic in topics if topic.incarnation > 1}


class Names:
    """Of the topics of one client."""

    def __init__(self, order: Mapping[str, Any]) -> None:
        self._incarnations: Incarnations = order.get("incarnations", {})

    def learn(self, more: Incarnations) -> None:
        """It is to read others."""
        self._incarnations = {**self._incarnations, **more}

    def where(self, topic: str, partition: int) -> TopicPartition:
        return TopicPartition(topic, partition, self._incarnations.get(topic, 1))

    def recorded(self, event: Event) -> Event:
        """The same with the names of the record."""
        if not self._incarnations:
            return event
        told = {name: event[name] for name in ("partitions", "offsets") if name in event}
        renamed = {
            name: [[self._told_as(topic), *more] for topic, *more in rows]
            for name, rows in told.items()
        }
        return {**event, **renamed}

    def _told_as(self, topic: str) -> str:
        return told_as(topic, self._incarnations.get(topic, 1))
