"""A topic that clients are told of, and no cluster."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, cast

from highwater.harness.model import TopicPartition
from highwater.harness.topic import Topic
from highwater.harness.topics import Topics


class Orders(Topic):
    """Of these partitions."""

    def __init__(
        self, partitions: Sequence[int] = (0,), incarnation: int = 1, name: str = "orders"
    ) -> None:
        self._numbers = partitions
        scene = SimpleNamespace(require_there=lambda: None)
        super().__init__(cast("Any", scene), name, [], incarnation)

    def __len__(self) -> int:
        """So many it has been given."""
        return len(self._numbers)

    @property
    def wheres(self) -> list[TopicPartition]:
        return [TopicPartition(self.name, each, self.incarnation) for each in self._numbers]


def no_topics() -> Topics:
    """Of a play that has created none."""
    return Topics(cast("Any", SimpleNamespace()), "shop")
