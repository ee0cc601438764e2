"""A member of a group by aiokafka: see python/membership.py.

All of it is done by one thread, as in a program of asyncio: the library goes on, and calls its
listener, whenever the member waits for something, be it that its records are processed.
"""

from __future__ import annotations

import asyncio
import inspect
from typing import Any, Tuple  # noqa: UP035 - Python 3.8 is to read this

import aiokafka
from aiokafka.errors import BrokerResponseError, IllegalStateError
from listening import commit_within  # of those that are shared

Place = Tuple[str, int]  # noqa: UP006
POSITION_S = 0.02  # of a partition whose position is not known yet
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
KNOWN = inspect.signature(aiokafka.AIOKafkaConsumer.__init__).parameters
SETTINGS = tuple(name for name, own in NAMES.items() if own in KNOWN)


class Consumer:
    def __init__(self, begin: dict[str, Any]) -> None:
        told = {NAMES[name]: value for name, value in begin["settings"].items()}
        self._loop = asyncio.new_event_loop()
        asyncio.set_event_loop(self._loop)
        self._consumer = self._await(self._started(begin, told))

    async def _started(self, begin: dict[str, Any], told: dict[str, Any]) -> Any:
        self._processing = asyncio.Lock()
        consumer = aiokafka.AIOKafkaConsumer(
            bootstrap_servers=begin["bootstrap"],
            client_id=begin["client"],
            group_id=begin["group"],
            heartbeat_interval_ms=begin["settings"]["session.timeout.ms"] // 10,
            **{"enable_auto_commit": False, **told},
        )
        await consumer.start()
        return consumer

    def subscribe(self, topics: list[str], member: Any) -> None:
        self._member = member
        self._consumer.subscribe(topics, listener=self._listener(member))

    def _listener(self, member: Any) -> Any:
        processing, commit = self._processing, self._commit

        class Listener(aiokafka.ConsumerRebalanceListener):  # type: ignore[misc]
            async def on_partitions_revoked(self, revoked: Any) -> None:
                async with processing:  # for the library does not wait until all of it is
                    asked = member.asks()
                await commit_within(member, asked, commit)
                member.left(_places(revoked))

            async def on_partitions_assigned(self, assigned: Any) -> None:
                member.assigned(_places(assigned))

        return Listener()

    def poll(self, seconds: float, most: int) -> list[tuple[Any, ...]]:
        self._has_processed()
        asked = self._consumer.getmany(timeout_ms=int(seconds * 1000), max_records=most)
        return [
            (each.topic, each.partition, each.offset, each.value, each.key, each.headers)
            for some in self._await(asked).values()
            for each in some
        ]

    def rest(self, seconds: float) -> None:
        """Nothing is taken away until it has been said what was processed, and asks for more."""
        self._await(self._rest(seconds))

    async def _rest(self, seconds: float) -> None:
        await self._processing.acquire()
        await asyncio.sleep(seconds)

    def _has_processed(self) -> None:
        if self._processing.locked():  # by itself: its listener holds it only while it is called
            self._processing.release()

    def position(self, place: Place) -> int | None:
        asked = self._consumer.position(aiokafka.TopicPartition(*place))
        try:
            found: int = self._await(asyncio.wait_for(asked, POSITION_S))
        except (asyncio.TimeoutError, IllegalStateError):  # noqa: UP041 - another before 3.11
            return None
        return found

    def commit(self, positions: dict[Place, int]) -> None:
        self._await(self._commit(positions))

    async def _commit(self, positions: dict[Place, int]) -> None:
        told = {aiokafka.TopicPartition(*place): at for place, at in positions.items()}
        await self._consumer.commit(told)

    def answer(self, error: Exception) -> tuple[str, int | None]:
        """CommitFailedError is its word for answers that its group has gone on without it."""
        answered = error.__cause__ or error
        is_answer = isinstance(answered, BrokerResponseError)
        return type(error).__name__, getattr(answered, "errno", None) if is_answer else None

    def generation(self) -> int | None:
        """As its coordinator has it, for the library itself does not tell it."""
        coordinator = getattr(self._consumer, "_coordinator", None)
        number = getattr(coordinator, "generation", None)
        return None if number is None or number < 0 else int(number)

    def close(self) -> None:
        """Its listener is not told of the end."""
        self._has_processed()
        if held := self._consumer.assignment():
            self._member.left(_places(held))
        self._await(self._consumer.stop())

    def _await(self, asked: Any) -> Any:
        return self._loop.run_until_complete(asked)


def _places(some: Any) -> list[Place]:
    return [(each.topic, each.partition) for each in some]
