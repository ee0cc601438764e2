"""An answer of thousands of partitions that says what the one before said is not read again."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from highwater.harness.gate.primitives import Reader

Asked = tuple[int, int, bytes]  # api, version, body
T = TypeVar("T")
KEPT = 8  # questions: who asks others all the time would gain nothing


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
