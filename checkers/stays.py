"""For how long looks one after the other said the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from typing import Generic, NamedTuple, TypeVar

T = TypeVar("T")


class Stay(NamedTuple, Generic[T]):
    """From the first look that said so to the last one before another was said, or of all."""

    said: T
    since_ns: int
    until_ns: int


def stays(looks: Iterable[tuple[int, T]]) -> Iterator[Stay[T]]:
    """Of looks in the order of time, each with what it said."""
    for said, some in groupby(looks, key=itemgetter(1)):
        times = [at_ns for at_ns, _ in some]
        yield Stay(said, times[0], times[-1])
