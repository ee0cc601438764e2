"""How readers got through partitions: which offsets each passed at once, and when."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator

from highwater.checkers.second_opinion.rows import Place, Row, place, ran_backwards

# First and last offset, the moment after which they were passed, and the one by which.
Span = tuple[int, int, float, float]
FOREVER = float("inf")


class Passages:
    """Of all readers of a record: polls with an offset, and ends above offset 0."""

    def __init__(
        self, polls: Iterable[Row], ends: Iterable[Row], from_start: Callable[[str, str], bool]
    ) -> None:
        # For each reader by when it was: polls that began at one moment are one, which
        # had ended with the first of them.
        self._steps: dict[tuple[Place, str], dict[tuple[float, int], Span]] = defaultdict(dict)
        polls, ends = list(polls), list(ends)
        backwards = {(place(row), row["client"]) for row in (*polls, *ends) if ran_backwards(row)}
        for row in polls:
            self._take_in(row)
        for number, row in enumerate(ends, start=1):
            begun, until = _times(row, unknown=row["invoked_ns"])
            found = row["offset"], row["offset"] - 1, begun, until
            self._steps[place(row), row["client"]][until, number] = found
        self._own: dict[tuple[Place, str], list[Span]] = {}
        self._spans: dict[Place, list[Span]] = defaultdict(list)
        self._timely: dict[Place, list[Span]] = defaultdict(list)  # of clocks that never ran so
        self._reach: dict[Place, list[tuple[int, int]]] = defaultdict(list)
        for (where, client), steps in self._steps.items():
            spans = list(_spans(steps, from_start=from_start(client, where[0])))
            self._own[where, client] = spans
            self._spans[where] += spans
            self._timely[where] += spans if (where, client) not in backwards else []
            self._reach[where].append((min(one[0] for one in spans), max(one[1] for one in spans)))

    def _take_in(self, row: Row) -> None:
        at, (begun, ended) = row["offset"], _times(row, unknown=FOREVER)
        mine = self._steps[place(row), row["client"]]
        low, high, _, until = mine.get((begun, 0), (at, at, begun, ended))
        mine[begun, 0] = min(low, at), max(high, at), begun, min(until, ended)

    def was_passed(self, where: Place, offset: int) -> bool:
        """Whether it lies between where a reader began and where the reader got to."""
        return any(first <= offset <= last for first, last in self._reach[where])

    def since(self, where: Place, offset: int) -> float:
        return max((span[2] for span in _over(self._timely[where], offset)), default=-FOREVER)

    def until(self, where: Place, offset: int) -> float:
        return max((span[3] for span in _over(self._spans[where], offset)), default=-FOREVER)

    def by(self, reader: tuple[Place, str], offset: int) -> float:
        """The same of one reader; of polls of which nobody told the end, when they began."""
        spans = _over(self._own[reader], offset)
        return max((one[3] if one[3] < FOREVER else one[2] for one in spans), default=-FOREVER)

    def last_of(self, reader: tuple[Place, str]) -> float:
        """By what moment a reader had passed all that it did; before any where it was nothing."""
        return max((span[3] for span in self._own.get(reader, ())), default=-FOREVER)


def _over(spans: list[Span], offset: int) -> Iterator[Span]:
    return (span for span in spans if span[0] <= offset <= span[1])


def _times(row: Row, *, unknown: float) -> tuple[float, float]:
    begun, ended = row["invoked_ns"], row["completed_ns"]
    return begun, unknown if ended is None else max(begun, ended)


def _spans(steps: dict[tuple[float, int], Span], *, from_start: bool) -> Iterator[Span]:
    """Each step with what lies between it and the one before it."""
    came_to, since = 0 if from_start else FOREVER, -FOREVER
    ordered = sorted(steps.items(), key=_in_order)
    for _, (first, last, begun, until) in ordered:
        since = max(since, begun)
        yield int(min(first, came_to)), last, since, until
        came_to = last + 1


def _in_order(step: tuple[tuple[float, int], Span]) -> tuple[float, int, int]:
    """By time, and of one moment by offset: a reader goes forward."""
    (at, _), (first, last, _, _) = step
    return at, first, last


def passages_of(history: Iterable[Row], from_start: Callable[[str, str], bool]) -> Passages:
    told = [row for row in history if row["outcome"] == "ok" and row["offset"] is not None]
    placed = [row for row in told if row["action"] == "poll" and row["offset"] >= 0]
    ends = [row for row in told if row["action"] == "end" and row["offset"] > 0]
    return Passages(placed, ends, from_start)
