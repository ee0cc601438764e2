"""A client that has a seat in a group of any kind, and what is done to it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any

from highwater.harness.clients.process import ClientProcess, Event, Launch
from highwater.harness.errors import PreconditionError
from highwater.harness.lifetime import Lifetime


class Seated(Lifetime):
    """Lives in a process of its own, and is told what it hears of itself by `_hear`."""

    def __init__(self, launch: Launch) -> None:
        super().__init__()
        self.name: str = launch.order["client"]
        self.order: Mapping[str, Any] = launch.order
        self.is_killed = self.has_left = False
        self._fatal = ""
        self._process = ClientProcess(launch, self._hear)

    def _begin(self) -> None:
        self._ending.enter_context(self._process)

    def _hear(self, event: Event) -> None:
        raise NotImplementedError

    @property
    def fatal(self) -> str:
        """Why it can do nothing more, as its library says; empty as long as it can."""
        return self._fatal

    def is_well(self) -> bool:
        """See ClientProcess.is_well; raises PreconditionError for one that can do nothing more."""
        if self._fatal and not (self.is_killed or self.has_left):
            raise PreconditionError(f"{self.name} was to go on, and cannot: {self._fatal}")
        return self._process.is_well()

    @property
    def is_paused(self) -> bool:
        """Frozen: it says nothing, and does not hear what becomes of its partitions."""
        return self._process.is_paused

    @property
    def runs(self) -> bool:
        """Whether it lives and is not frozen."""
        return not (self.is_killed or self.has_left or self.is_paused)

    def kill(self) -> None:
        """SIGKILL: it leaves without a word.

        Its group waits for its session to time out; a share group hands out what it holds when
        its locks have.
        """
        self._process.kill()
        self.is_killed = True

    def leave(self) -> None:
        """Stop in order: it finishes, and says that it goes; a static one does not say so."""
        self._process.leave()
        self.has_left = True

    def say_stopping(self) -> None:
        """See ClientProcess.say_stopping."""
        self._process.say_stopping()

    def paused(self) -> AbstractContextManager[None]:
        """Frozen (SIGSTOP) until the context is left."""
        return self._process.paused()
