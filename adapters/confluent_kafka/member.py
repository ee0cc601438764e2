"""A member of a group by confluent-kafka: see python/membership.py."""

from __future__ import annotations

from typing import Any

import confluent_kafka
from confluent_kafka import KafkaError, KafkaException
from reaching import reached  # beside this file

NAMES = {"metadata.max.age.ms": "topic.metadata.refresh.interval.ms"}  # librdkafka's


def _is_set(word: str, value: object = "classic") -> bool:
    try:
        confluent_kafka.Consumer({"group.id": "a group", word: value}).close()
    except KafkaException:
        return False
    return True


SETTINGS = (
    "auto.offset.reset",
    "isolation.level",
    "session.timeout.ms",
    "group.instance.id",
    "metadata.max.age.ms",
    "enable.auto.commit",
    "auto.commit.interval.ms",
    *(("max.poll.interval.ms",) if _is_set("max.poll.interval.ms", 300_000) else ()),
    *(("group.protocol",) if _is_set("group.protocol") else ()),
)


class Consumer:
    def __init__(self, begin: dict[str, Any]) -> None:
        told = {NAMES.get(name, name): value for name, value in begin["settings"].items()}
        self._consumer = confluent_kafka.Consumer(
            {
                **reached(begin),
                "client.id": begin["client"],
                "group.id": begin["group"],
                "enable.auto.commit": False,
                "enable.partition.eof": False,
                **told,
            }
        )
        self.close = self._consumer.close

    def subscribe(self, topics: list[str], member: Any) -> None:
        told = {
            "on_assign": lambda _, some: member.assigned(_places(some)),
            "on_revoke": lambda _, some: member.left(_places(some)),
            "on_lost": lambda _, some: member.left(_places(some), is_lost=True),
        }
        try:
            self._consumer.subscribe(topics, **told)
        except TypeError:  # before 1.6 what is lost is said to be revoked
            del told["on_lost"]
            self._consumer.subscribe(topics, **told)

    def poll(self, seconds: float, most: int) -> list[tuple[Any, ...]]:
        return [
            (*_place(each), each.offset(), each.value(), each.key(), each.headers())
            for each in self._consumer.consume(most, timeout=seconds)
            if each.error() is None
        ]

    def position(self, place: tuple[str, int]) -> int | None:
        (found,) = self._consumer.position([confluent_kafka.TopicPartition(*place)])
        return found.offset if found.offset >= 0 else None

    def commit(self, positions: dict[tuple[str, int], int]) -> None:
        told = [confluent_kafka.TopicPartition(*place, at) for place, at in positions.items()]
        answered = self._consumer.commit(offsets=told, asynchronous=False)
        for each in answered or ():
            if each.error is not None:
                raise KafkaException(each.error)

    def answer(self, error: Exception) -> tuple[str, int | None]:
        told = error.args[0] if error.args else None
        if not isinstance(told, KafkaError):
            return type(error).__name__, None
        return told.name(), told.code() if told.code() >= KafkaError.UNKNOWN else None

    def generation(self) -> None:
        """Its library does not tell it."""


def _place(message: Any) -> tuple[str, int]:
    return message.topic(), message.partition()


def _places(some: Any) -> list[tuple[str, int]]:
    return [(each.topic, each.partition) for each in some]
