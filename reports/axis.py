"""A time axis on which a burst of milliseconds after seconds of waiting can still be read.

The width between two neighbouring moments grows with the square root of the time between them,
so quiet stretches are shortened and nothing changes places. Tick labels are true times.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, sqrt

WIDTH = 1000  # user units of every chart; a chart scrolls inside its box below this many pixels
LEFT = 104  # lane names stand left of it
RIGHT = 915  # direct labels stand right of it
TICK_STEPS_S = (100, 50, 20, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01)
TICK_DISTANCE = 52  # user units; a label such as "12.05 s" with some air
MOST_MOMENTS = 600


@dataclass(frozen=True, slots=True)
class Tick:
    x: float
    label: str


@dataclass(frozen=True, slots=True)
class TimeAxis:
    """Maps nanoseconds since the run's start to user units; both sequences ascend together."""

    moments: Sequence[int]
    positions: Sequence[float]

    def x(self, at_ns: int) -> float:
        after = bisect_right(self.moments, at_ns)
        if after == 0:
            return self.positions[0]
        if after == len(self.moments):
            return self.positions[-1]
        start, end = self.moments[after - 1], self.moments[after]
        low, high = self.positions[after - 1], self.positions[after]
        return round(low + (high - low) * (at_ns - start) / (end - start), 1)

    def ticks(self) -> list[Tick]:
        """Round times, coarse ones first, as many as fit."""
        placed: dict[float, str] = {}
        for step_s in TICK_STEPS_S:
            for at_s in _multiples(step_s, self.moments[0], self.moments[-1]):
                x = self.x(round(at_s * 1e9))
                if all(abs(x - other) >= TICK_DISTANCE for other in placed):
                    placed[x] = f"{at_s:g} s"
        return [Tick(x, label) for x, label in sorted(placed.items())]


def time_axis(moments: Iterable[int]) -> TimeAxis:
    """An axis through the given moments (nanoseconds) that gives each gap its share."""
    distinct = sorted({0, *moments})
    stride = max(1, ceil(len(distinct) / MOST_MOMENTS))
    chosen = sorted({*distinct[::stride], distinct[-1]})
    if len(chosen) == 1:
        chosen.append(chosen[0] + 1)
    lengths = [sqrt(after - before) for before, after in pairwise(chosen)]
    scale = (RIGHT - LEFT) / sum(lengths)
    positions = [float(LEFT)]
    for length in lengths:
        positions.append(round(positions[-1] + length * scale, 3))
    return TimeAxis(chosen, positions)


def _multiples(step_s: float, start_ns: int, end_ns: int) -> Iterator[float]:
    first, last = ceil(start_ns / 1e9 / step_s), int(end_ns / 1e9 / step_s)
    if last - first > MOST_MOMENTS:
        return
    for number in range(first, last + 1):
        yield round(number * step_s, 3)
