"""One thread that does what it is handed, one thing after the other.

Unlike a pool's it keeps no process from ending: whoever is told to end does not wait for it.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class Background:
    """Begins with the first thing that it is handed, and ends with `close`."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._queue: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    @property
    def waiting(self) -> int:
        """How many things are to be done when the one under way is."""
        return self._queue.qsize()

    def submit(self, work: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Do this when everything before it has been done."""
        future: Future[T] = Future()

        def do() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                result = work(*args, **kwargs)
            except BaseException as error:  # noqa: BLE001 - whoever waits for the result raises it
                future.set_exception(error)
            else:
                future.set_result(result)

        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name=self._name, daemon=True)
                self._thread.start()
        self._queue.put(do)
        return future

    def close(self) -> None:
        """Begin nothing more; what is under way goes on, and nobody waits for it."""
        while True:
            try:
                self._queue.get_nowait()
            except queue.Empty:
                break
        self._queue.put(None)

    def _work(self) -> None:
        while (do := self._queue.get()) is not None:
            do()
