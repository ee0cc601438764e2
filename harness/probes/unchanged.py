"""An answer of thousands of partitions that says what the one before said is not read again.

Nor is anything made anew of what has not changed.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar, TypeVarTuple

from highwater.harness.gate.primitives import Reader

Asked = tuple[int, int, bytes]  # api, version, body
T = TypeVar("T")
Things = TypeVarTuple("Things")
KEPT = 8  # questions: who asks others all the time would gain nothing
ASKERS = 2  # who looks all the time, and who waits for something meanwhile


class Unchanged(Generic[T]):
    """What was read last from the answer to a question, for as long as its bytes are the same.

    Whoever is handed the same object again knows that nothing has changed, and must not change it.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._read: dict[Asked, tuple[bytes, T]] = {}

    def read(self, asked: Asked, answer: Reader, decode: Callable[[Reader], T]) -> T:
        """What `decode` makes of the rest of the answer, or has made of the same bytes."""
        rest = bytes(answer.data[answer.position :])
        with self._lock:
            known = self._read.pop(asked, None)
            if known is None or known[0] != rest:
                known = rest, decode(answer)
            self._read[asked] = known  # the newest stands last
            while len(self._read) > KEPT:
                self._read.pop(next(iter(self._read)))
        return known[1]


class Derived(Generic[*Things, T]):
    """What `make` made of some things, for as long as they are the same; of so many, the newest.

    They are compared, not hashed: two tuples that have the same thousand members are one within
    microseconds, and two mappings of which the first entries differ are none. Nobody may change
    what is handed in, or handed out.
    """

    def __init__(self, make: Callable[[*Things], T], kept: int = ASKERS) -> None:
        self._make = make
        self._kept = kept
        self._made: list[tuple[tuple[*Things], T]] = []  # replaced, never changed: newest first

    def __call__(self, *things: *Things) -> T:
        before = self._made
        for place, known in enumerate(before):
            if known[0] == things:
                if place:
                    self._made = [known, *before[:place], *before[place + 1 :]]
                return known[1]
        made = self._make(*things)
        self._made = [(things, made), *before[: self._kept - 1]]
        return made
