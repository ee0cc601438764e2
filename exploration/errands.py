"""Whoever sends one request at a time in a schedule."""

from __future__ import annotations

import threading
from collections.abc import Callable

from highwater.harness.errors import ENVIRONMENT, in_words
from highwater.harness.play import Play


class Errands:
    """Each in a thread of its own; what goes wrong the timeline is told."""

    def __init__(self, play: Play, name: str) -> None:
        self.play, self.name = play, name
        self._thread: threading.Thread | None = None

    @property
    def is_busy(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def begin(self, work: Callable[[], object]) -> None:
        """Returns at once; the one before has ended."""

        def run() -> None:
            try:
                work()
            except ENVIRONMENT as error:
                self.play.note(f"{self.name}: {in_words(error)}")

        self._thread = threading.Thread(target=run, name=self.name, daemon=True)
        self._thread.start()

    def wait(self, timeout_s: float) -> None:
        """For the last one to end, if it does in time."""
        if self._thread is not None:
            self._thread.join(timeout_s)
