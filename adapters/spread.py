"""To which partitions a load sends; a topic may be given more while it does."""

from __future__ import annotations

import threading
from typing import Protocol

from highwater.adapters.dialogue import Dialogue, Order
from highwater.harness.errors import DeadlineError
from highwater.harness.model import ByKey, TopicPartition
from highwater.harness.workloads.keys import BY_KEY


class Knowing(Protocol):
    """A producer that can look up who leads partitions."""

    def await_metadata(self, wheres: list[TopicPartition]) -> None: ...


class Spread:
    """All partitions of a topic in turn, or as keys choose; new ones join when it is known who
    leads them, and keys move then.

    That is looked up in the background: what is sent to the others does not wait for it.
    """

    def __init__(self, order: Order, dialogue: Dialogue, producer: Knowing) -> None:
        self._topic: str = order["topic"]
        self._incarnation = order.get("incarnations", {}).get(self._topic, 1)
        self._is_by_key = order["settings"]["partition_by"] == BY_KEY
        self._dialogue = dialogue
        self._producer = producer
        self._wheres = self._first(order["partitions"])
        self._wanted = len(self._wheres)
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
            self._wanted = asked["partitions"]
        if self._wanted > len(self) and not self._is_looking:
            self._looking = threading.Thread(target=self._look, name="spread", daemon=True)
            self._looking.start()
        if self._is_by_key:
            return ByKey(self._topic, len(self), self._incarnation)
        self._at = (self._at + 1) % len(self)
        return self._wheres[self._at]

    @property
    def _is_looking(self) -> bool:
        return self._looking is not None and self._looking.is_alive()

    def _look(self) -> None:
        wheres = self._first(self._wanted)
        try:
            self._producer.await_metadata(wheres)
        except DeadlineError as error:  # `next` has it looked up again
            self._dialogue.say("complaint", text=f"it sends to no more than {len(self)}: {error}")
            return
        self._wheres = wheres

    def _first(self, partitions: int) -> list[TopicPartition]:
        return [
            TopicPartition(self._topic, number, self._incarnation) for number in range(partitions)
        ]
