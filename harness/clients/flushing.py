"""A load that is told to flush, and what its client says of it."""

from __future__ import annotations

from collections.abc import Callable

from highwater.harness.clients.process import ClientProcess, Event
from highwater.harness.errors import PreconditionError
from highwater.harness.wait import wait_until
from highwater.harness.workloads.promises import require_timeout

BEGIN_TIMEOUT_S = 10.0


class Flush:
    """One that a load was told to do; `error` is why its library has not done it, if it has not."""

    def __init__(self, number: int, process: ClientProcess, why_over: Callable[[], str]) -> None:
        self.number = number
        self.error = ""
        self.has_begun = False  # its library is about to be told
        self._process = process
        self._why_over = why_over
        self._is_over = False

    @property
    def has_ended(self) -> bool:
        """Whether its library says that it has flushed, or that it cannot."""
        return self._is_over

    def hear(self, event: Event) -> None:
        """What its client says of it; who has been given up says nothing more."""
        if not self._is_over:
            self.error = event.get("text", "")  # before anybody who waits can look at it
            self.has_begun, self._is_over = True, event["event"] != "flushing"

    def await_begun(self) -> None:
        """Wait until its library is about to be told, or never will be."""
        self._await(lambda: self.has_begun, "be told to flush", BEGIN_TIMEOUT_S)

    def await_ended(self, timeout_s: float = 60.0) -> None:
        """Wait until its library says that it has flushed, or that it cannot, or is gone: `error`
        says so then. Raises DeadlineError where it says nothing.
        """
        require_timeout(timeout_s)
        self._await(lambda: self._is_over, "say that it has flushed", timeout_s)

    def _await(self, fact: Callable[[], bool], what: str, timeout_s: float) -> None:
        def known() -> bool:
            is_well, why = self._process.is_well(), self._why_over()
            if is_well and why and not fact():
                self.error, self._is_over = why, True
            return self._is_over or fact()

        wait_until(known, f"{self._process.name} to {what}", timeout_s)


class Flushes:
    """Of one process: it does one after the other, and is handed no record meanwhile."""

    def __init__(self, process: ClientProcess, why_over: Callable[[], str]) -> None:
        self._process = process
        self._why_over = why_over
        self._flushes: list[Flush] = []

    def hear(self, event: Event) -> None:
        """That it is about to flush, has, or cannot."""
        if event["event"] in ("flushing", "flushed", "unflushed"):
            self._flushes[event["number"]].hear(event)

    def start(self) -> Flush:
        """Returns when its library is about to be told; raises PreconditionError if never."""
        flush = Flush(len(self._flushes), self._process, self._why_over)
        self._flushes.append(flush)
        self._process.tell({"do": "flush", "number": flush.number})
        flush.await_begun()
        if not flush.has_begun:
            raise PreconditionError(f"{self._process.name} was to flush, and cannot: {flush.error}")
        return flush
