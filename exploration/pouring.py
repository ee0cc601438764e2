"""Records that are sent one after another while a schedule goes on."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress

from highwater.harness.errors import ENVIRONMENT
from highwater.harness.workloads.requests import Request

PATIENCE_S = 0.25  # what has not been answered by then is left to itself


class Pouring:
    """Calls `send` again and again, each time when the last request is over; until `end`.

    A request that cannot be sent, since nobody leads or nobody knows, is left out.
    """

    def __init__(self, send: Callable[[], Request], gap_s: float) -> None:
        self._send, self._gap_s = send, gap_s
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._pour, name="pouring", daemon=True)
        self._thread.start()

    def end(self) -> None:
        self._is_over.set()
        self._thread.join()

    def _pour(self) -> None:
        while not self._is_over.wait(self._gap_s):
            with suppress(*ENVIRONMENT):
                self._send().await_over(PATIENCE_S)
