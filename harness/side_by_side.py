"""Asks several brokers at the same time, so that one that is frozen does not hold up the others."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, wait
from typing import TypeVar

from highwater.harness.background import Background
from highwater.harness.patience import left_s

T = TypeVar("T")

SILENT_S = 1.0  # who has taken longer for an answer is silent
GRACE_S = 0.25  # how long a silent one is waited for


class SideBySide:
    """A thread for each that is asked, which asks it one thing at a time.

    Who has been silent is asked again as soon as it has answered, or has been given up, and is
    hardly waited for until it has answered in time.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._threads: dict[int, Background] = {}
        self._asked_s: dict[int, float] = {}  # since when the question is being put, if one is
        self._silent: set[int] = set()

    def begin(self, asked: int, question: Callable[[], T]) -> Future[T] | None:
        """Ask without waiting; None when a silent one has the question before still to answer."""
        since_s = self._asked_s.get(asked)
        if since_s is not None and time.monotonic() - since_s >= SILENT_S:
            self._silent.add(asked)
        if since_s is not None and asked in self._silent:
            return None
        thread = self._threads.setdefault(asked, Background(f"{self._name}-{asked}"))
        return thread.submit(self._timed, asked, question)

    def ask(
        self, questions: Mapping[int, Callable[[], T]], patience_s: float
    ) -> dict[int, Future[T]]:
        """The answers, or errors, of those who gave one within `patience_s`: each is done."""
        begun = {asked: self.begin(asked, question) for asked, question in questions.items()}
        futures = {asked: future for asked, future in begun.items() if future is not None}
        quick = [future for asked, future in futures.items() if asked not in self._silent]
        wait(quick, left_s(patience_s))
        wait(futures.values(), left_s(GRACE_S))
        for asked, future in futures.items():
            if not future.done():
                future.cancel()  # where it has not begun: nobody waits for it any more
                self._silent.add(asked)
        return {
            asked: each for asked, each in futures.items() if each.done() and not each.cancelled()
        }

    def is_silent(self, asked: int) -> bool:
        return asked in self._silent

    def waiting(self, asked: int) -> int:
        """How many questions to it have not been put yet."""
        return self._threads[asked].waiting if asked in self._threads else 0

    def close(self) -> None:
        """Ask nothing more; what is being asked is not waited for."""
        for thread in self._threads.values():
            thread.close()

    def _timed(self, asked: int, question: Callable[[], T]) -> T:
        began_s = self._asked_s[asked] = time.monotonic()
        try:
            return question()
        finally:
            del self._asked_s[asked]
            if time.monotonic() - began_s < SILENT_S:
                self._silent.discard(asked)
            else:
                self._silent.add(asked)
