"""Which offsets of a partition a member has passed, by the records that it was handed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

MOST_TOLD = 3


class Passed:
    """In stretches: each begins where it went on from, or was assigned the partition.

    What nobody is handed within a stretch, as the marker of a transaction, it has passed as well.
    """

    def __init__(self) -> None:
        self._stretches: list[tuple[int, int, int]] = []  # first offset, one past the last; when
        self._goes_on = False

    def begin(self) -> None:
        """It is assigned the partition: nobody knows from where on it will read."""
        self._goes_on = False

    def hand(self, offsets: Sequence[int], at_ns: int) -> None:
        """It was handed these, in this order."""
        for offset in offsets:
            if self._goes_on and offset >= self._stretches[-1][1]:
                first, _, since_ns = self._stretches[-1]
                self._stretches[-1] = first, offset + 1, since_ns
            else:
                self._stretches.append((offset, offset + 1, at_ns))
            self._goes_on = True

    def since_ns(self, first: int, end: int) -> int | None:
        """When it had begun to pass the last of these; None if it has not passed all."""
        begun = []
        for since, until, at_ns in sorted(self._stretches):
            if since <= first < until:
                first = until
                begun.append(at_ns)
        return max(begun) if first >= end else None

    def __str__(self) -> str:
        told = [f"{first} to {end - 1}" for first, end in self._merged()]
        more = f" and {len(told) - MOST_TOLD} more" if len(told) > MOST_TOLD else ""
        return ", ".join(told[:MOST_TOLD]) + more or "nothing"

    def _merged(self) -> Iterator[tuple[int, int]]:
        """The same offsets in as few spans as possible."""
        last: tuple[int, int] | None = None
        for first, end, _ in sorted(self._stretches):
            if last is not None and first > last[1]:
                yield last
                last = None
            last = (first, end) if last is None else (last[0], max(last[1], end))
        if last is not None:
            yield last
