"""A topic of a play, and its partitions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from highwater.harness.partition import Partition


class Topic:
    """Created by a play, for which it has a name that is new on its cluster."""

    def __init__(self, name: str, partitions: Sequence[Partition]) -> None:
        self.name = name
        self._partitions = tuple(partitions)

    @property
    def described(self) -> str:
        """Which partitions they are, in words."""
        if len(self) == 1:
            return str(self[0].where)
        return f"the {len(self)} partitions of {self.name}"

    def __getitem__(self, number: int) -> Partition:
        """Raises IndexError where there is no such partition."""
        return self._partitions[number]

    def __len__(self) -> int:
        return len(self._partitions)

    def __iter__(self) -> Iterator[Partition]:
        return iter(self._partitions)
