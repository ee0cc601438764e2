"""A member of a group by kafka-python: see python/membership.py."""

from __future__ import annotations

from typing import Any, Tuple  # noqa: UP035 - Python 3.8 is to read this

import kafka
from listening import commit_within  # of those that are shared

Place = Tuple[str, int]  # noqa: UP006
NAMES = {
    "auto.offset.reset": "auto_offset_reset",
    "isolation.level": "isolation_level",
    "session.timeout.ms": "session_timeout_ms",
    "group.instance.id": "group_instance_id",
    "metadata.max.age.ms": "metadata_max_age_ms",
    "max.poll.interval.ms": "max_poll_interval_ms",
    "enable.auto.commit": "enable_auto_commit",
    "auto.commit.interval.ms": "auto_commit_interval_ms",
}
SETTINGS = tuple(name for name, own in NAMES.items() if own in kafka.KafkaConsumer.DEFAULT_CONFIG)


class Unanswered(Exception):  # noqa: N818 - it is one, as its name is told
    """It is not known what became of a commit."""


class Consumer:
    def __init__(self, begin: dict[str, Any]) -> None:
        told = {NAMES[name]: value for name, value in begin["settings"].items()}
        self._consumer = kafka.KafkaConsumer(
            bootstrap_servers=begin["bootstrap"],
            client_id=begin["client"],
            group_id=begin["group"],
            heartbeat_interval_ms=begin["settings"]["session.timeout.ms"] // 10,
            **{"enable_auto_commit": False, **told},
        )
        self.close = self._consumer.close

    def subscribe(self, topics: list[str], member: Any) -> None:
        waits = getattr(kafka, "AsyncConsumerRebalanceListener", None)  # from 3.0 on
        listener = listener_of(member) if waits is None else self._waiting(waits, member)
        for each in topics:  # else it may deal out what it knows nothing of yet, and stay without
            self._consumer.partitions_for_topic(each)
        self._consumer.subscribe(topics, listener=listener)

    def _waiting(self, base: Any, member: Any) -> Any:
        """Its listeners may not wait for an answer unless they are coroutines."""
        commit = self._commit_within

        class Listener(base):  # type: ignore[misc]
            async def on_partitions_assigned(self, assigned: Any) -> None:
                member.assigned(_places(assigned))

            async def on_partitions_revoked(self, revoked: Any) -> None:
                await commit_within(member, member.asks(), commit)
                member.left(_places(revoked))

            async def on_partitions_lost(self, lost: Any) -> None:
                member.left(_places(lost), is_lost=True)

        return Listener()

    async def _commit_within(self, positions: dict[Place, int]) -> None:
        is_unknown = self._consumer._coordinator.coordinator_unknown()  # noqa: SLF001
        await self._consumer.commit_async(_told(positions))
        if is_unknown:  # then that was the answer of who was asked for it
            raise Unanswered

    def poll(self, seconds: float, most: int) -> list[tuple[Any, ...]]:
        handed = self._consumer.poll(timeout_ms=int(seconds * 1000), max_records=most)
        return [
            (each.topic, each.partition, each.offset, each.value, each.key, each.headers)
            for some in handed.values()
            for each in some
        ]

    def position(self, place: Place) -> int | None:
        found: int | None = self._consumer.position(kafka.TopicPartition(*place), timeout_ms=0)
        return found

    def commit(self, positions: dict[Place, int]) -> None:
        self._consumer.commit(_told(positions))

    def answer(self, error: Exception) -> tuple[str, int | None]:
        is_answer = isinstance(error, kafka.errors.BrokerResponseError)
        return type(error).__name__, getattr(error, "errno", None) if is_answer else None

    def generation(self) -> int | None:
        """As its coordinator has it, for the library itself does not tell it."""
        found = getattr(self._consumer._coordinator, "_generation", None)  # noqa: SLF001
        number = getattr(found, "generation_id", None)
        return None if number is None or number < 0 else int(number)


def listener_of(member: Any) -> Any:
    class Listener(kafka.ConsumerRebalanceListener):  # type: ignore[misc]
        def on_partitions_assigned(self, assigned: Any) -> None:
            member.assigned(_places(assigned))

        def on_partitions_revoked(self, revoked: Any) -> None:
            member.left(_places(revoked))

    return Listener()


def _places(some: Any) -> list[Place]:
    return [(each.topic, each.partition) for each in some]


def _told(positions: dict[Place, int]) -> dict[Any, Any]:
    few = len(kafka.OffsetAndMetadata._fields)
    return {
        kafka.TopicPartition(*place): kafka.OffsetAndMetadata(*(offset, "", -1)[:few])
        for place, offset in positions.items()
    }
