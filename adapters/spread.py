"""To which partitions a load sends; a topic may be given more while it does."""

from __future__ import annotations

import threading
from typing import Any, Protocol

from highwater.adapters.dialogue import Dialogue, Order
from highwater.harness.errors import DeadlineError
from highwater.harness.model import ByKey, TopicPartition
from highwater.harness.workloads.keys import BY_KEY


class Knowing(Protocol):
    """A producer that can look up who leads partitions."""

    def await_metadata(self, wheres: list[TopicPartition]) -> None: ...


class Spread:
    """All partitions of a topic in turn, or as keys choose; new ones, or those of another topic,
    are sent to when it is known who leads them, and keys move then.

    That is looked up in the background: what is sent to the others does not wait for it.
    """

    def __init__(
        self, order: Order, dialogue: Dialogue, producer: Knowing, patterns: dict[str, Any]
    ) -> None:
        """`patterns` is what the producer goes by: of another topic it is told with that."""
        topic: str = order["topic"]
        incarnation = order.get("incarnations", {}).get(topic, 1)
        self._is_by_key = order["settings"]["partition_by"] == BY_KEY
        self._dialogue, self._patterns = dialogue, patterns
        self._producer = producer
        self._wheres = _first(topic, order["partitions"], incarnation)
        self._used = self._wanted = self._wheres
        self._topic = topic, incarnation
        self._at = -1
        self._looking: threading.Thread | None = None

    def __len__(self) -> int:
        return len(self._wheres)

    @property
    def wheres(self) -> list[TopicPartition]:
        return self._wheres

    def next(self) -> TopicPartition | ByKey:
        """Where the next records go."""
        for asked in self._dialogue.asked():
            self._patterns |= asked.get("patterns", {})
            self._wanted = _first(asked["topic"], asked["partitions"], asked["incarnation"])
        self._turn()
        if self._wanted != self._used and not self._is_looking:
            self._looking = threading.Thread(target=self._look, name="spread", daemon=True)
            self._looking.start()
        wheres = self._used
        if (topic := (wheres[0].topic, wheres[0].incarnation)) != self._topic:
            self._topic = topic  # nothing more goes to another one from here on
            self._dialogue.say("turned", topic=topic[0], incarnation=topic[1])
        if self._is_by_key:
            return ByKey(wheres[0].topic, len(wheres), wheres[0].incarnation)
        self._at = (self._at + 1) % len(wheres)
        return wheres[self._at]

    def _turn(self) -> None:
        """To what has been looked up, unless something else has been asked for meanwhile."""
        found = self._wheres  # which may be others, and fewer, at any moment
        if found == self._wanted:
            self._used = found
        else:
            self._wheres = self._used

    @property
    def _is_looking(self) -> bool:
        return self._looking is not None and self._looking.is_alive()

    def _look(self) -> None:
        wheres = self._wanted
        try:
            self._producer.await_metadata(wheres)
        except DeadlineError as error:  # `next` has it looked up again
            self._dialogue.say("complaint", text=f"it sends to no more than {len(self)}: {error}")
            return
        self._wheres = wheres


def _first(topic: str, partitions: int, incarnation: int) -> list[TopicPartition]:
    return [TopicPartition(topic, number, incarnation) for number in range(partitions)]
