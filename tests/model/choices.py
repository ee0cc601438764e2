"""Where a program's choices come from: a seed, or Hypothesis, which makes them smaller.

Zero is always the quiet choice, so that what Hypothesis shrinks gets simpler as a story.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

T = TypeVar("T")


class Choices(ABC):
    """A source of whole numbers, and what is made of them."""

    @abstractmethod
    def below(self, bound: int) -> int:
        """A number from 0 to `bound` - 1."""

    def happens(self, percent: int) -> bool:
        return self.below(100) >= 100 - percent

    def pick(self, some: Sequence[T]) -> T:
        return some[self.below(len(some))]

    def between(self, low: int, high: int) -> int:
        return low + self.below(high - low + 1)

    def weighted(self, weights: Mapping[T, int]) -> T:
        left = self.below(sum(weights.values()))
        for one, weight in weights.items():
            left -= weight
            if left < 0:
                return one
        raise ValueError(f"expected weights above zero, saw {weights}")


class Seeded(Choices):
    """The same program for the same seed, on every machine."""

    def __init__(self, seed: int) -> None:
        self._next = random.Random(seed).random

    def below(self, bound: int) -> int:
        return int(self._next() * bound)


class Drawn(Choices):
    """Choices that Hypothesis makes: `draw` is given the largest number that may come."""

    def __init__(self, draw: Callable[[int], int]) -> None:
        self._draw = draw

    def below(self, bound: int) -> int:
        return self._draw(bound - 1) if bound > 1 else 0
