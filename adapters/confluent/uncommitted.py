"""What a member of a group has processed, and not committed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from highwater.harness.workloads.handed import Key


class Uncommitted:
    """Positions, by partition. `is_asking` is set while a commit has not been answered.

    One at a time: librdkafka sends those that wait for a coordinator behind a later one, and the
    group's position would go back.
    """

    def __init__(self) -> None:
        self.is_asking = False
        self._positions: dict[Key, int] = {}
        self._newest: dict[Key, int] = {}  # that was asked for, of what has not been given up since

    def reach(self, positions: Mapping[Key, int]) -> None:
        self._positions |= positions

    def take(self) -> list[tuple[str, int, int]]:
        """What is to be committed now: topic, partition and position; it is asked for once."""
        taken = sorted((*key, position) for key, position in self._positions.items())
        self._newest |= self._positions
        self._positions = {}
        return taken

    def was_refused(self, taken: Iterable[tuple[str, int, int]], held: Collection[Key]) -> None:
        """To be asked for again, where the partition is held and nothing newer was or is asked."""
        for topic, number, position in taken:
            key = (topic, number)
            if key in held and self._newest.get(key) == position:
                self._positions.setdefault(key, position)

    def forget(self, key: Key) -> None:
        self._positions.pop(key, None)
        self._newest.pop(key, None)
