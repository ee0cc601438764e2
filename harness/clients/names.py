"""What clients may be called, and which topic one means by its name in Kafka.

The record has another name for each topic of one name. No client outlives a topic that it
knows (see `Topic.attach`), so that each name it says is of one; a load says none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from highwater.harness.clients.process import Event
from highwater.harness.errors import UsageError
from highwater.harness.model import TopicPartition, told_as
from highwater.harness.topic import Topic

MOST_MEMBERS = 100  # each is a process, of some 60 MB, and brokers hear of all of them at once
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")  # files of the record are called so

Incarnations = Mapping[str, int]  # of topics that are not the first of their name


def incarnations(topics: Iterable[Topic]) -> Incarnations:
    """As an adapter is told."""
    return {topic.name: topic.incarnation for topic in topics if topic.incarnation > 1}


def patterns(topics: Iterable[Topic]) -> Mapping[str, Any]:
    """The same of how their records look; nothing where all are, and have been, ours as a whole."""
    told = {
        topic.name: topic.pattern and topic.pattern.described()
        for topic in topics
        if topic.pattern or topic.incarnation > 1
    }
    return {"patterns": told} if told else {}


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
            name: [[self.told_as(topic), *more] for topic, *more in rows]
            for name, rows in told.items()
        }
        return {**event, **renamed}

    def told_as(self, topic: str) -> str:
        """What the record calls it."""
        return told_as(topic, self._incarnations.get(topic, 1))


def refuse_group(name: object, members: object) -> None:
    """Raises UsageError for what cannot be called so, or has no member."""
    if type(members) is not int or not 1 <= members <= MOST_MEMBERS:
        raise UsageError(
            f"expected a group of at least one member, and at most {MOST_MEMBERS}, for each is a "
            f"process, saw {members!r:.120}"
        )
    refuse_name(name, "a group's")


def refuse_name(name: object, whose: str) -> None:
    """The same of a name."""
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise UsageError(
            f"expected {whose} name of at most 100 letters, digits, dots, dashes and "
            f"underscores, with a letter or a digit first, saw {name!r:.120}"
        )
