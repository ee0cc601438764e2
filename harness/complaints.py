"""What went wrong for a client that goes on all the same: counted, and told once each."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable


class Complaints:
    """Of one client; a new one is told at once, and at the end how often each came."""

    def __init__(self, client: str, note: Callable[[str], None]) -> None:
        self._client = client
        self._note = note
        self._counts: Counter[str] = Counter()
        self._lock = threading.Lock()

    def add(self, complaint: str) -> None:
        with self._lock:
            self._counts[complaint] += 1
            is_new = self._counts[complaint] == 1
        if is_new:
            self._note(f"{self._client}: {complaint}")

    def close(self) -> None:
        for complaint, times in self._counts.items():
            if times > 1:
                self._note(f"{self._client}: {complaint}: {times} times in all")
