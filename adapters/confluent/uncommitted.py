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

    def reach(self, positions: Mapping[Key, int]) -> None:
        self._positions |= positions

    def take(self) -> list[tuple[str, int, int]]:
        """What is to be committed now: topic, partition and position; it is asked for once."""
        taken = sorted((*key, position) for key, position in self._positions.items())
        self._positions = {}
        return taken

    def was_refused(self, taken: Iterable[tuple[str, int, int]], held: Collection[Key]) -> None:
        """To be asked for again, where the partition is held and nothing newer is to be asked."""
        for topic, number, position in taken:
            if (topic, number) in held:
                self._positions.setdefault((topic, number), position)

    def forget(self, key: Key) -> None:
        self._positions.pop(key, None)
