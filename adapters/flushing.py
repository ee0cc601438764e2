"""A load that is told to flush: its library is, and what came of that is told to the harness."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

from highwater.adapters.dialogue import Dialogue
from highwater.harness.record.history import History


class Came(NamedTuple):
    """What a flush came to: when the library said so, by the clock of `time.monotonic_ns`, and why
    it could not, in words. Who said nothing has no time.
    """

    at_ns: int | None
    error: str = ""


class Flushing:
    """Has `flush` done as often as the harness asks for it, and says when it began and ended.

    What the library had said of records by then is on the disk before the harness hears of it:
    whoever is killed afterwards has not said less.
    """

    def __init__(
        self, dialogue: Dialogue, history: History, flush: Callable[[], Came], *, own: bool
    ) -> None:
        self._dialogue = dialogue
        self._history = history
        self._flush = flush
        self._own = own  # whether it is the library that flushes, and not its adapter that waits

    def look(self) -> None:
        """To be called all the time: does what was asked for since the last call."""
        for number in self._dialogue.flushes():
            asked_ns = time.monotonic_ns()
            self._dialogue.say("flushing", number=number)
            came_to = self._flush()
            self._history.flush()
            said = "unflushed" if came_to.error else "flushed"
            told = {"asked_ns": asked_ns, "flushed_ns": came_to.at_ns, "text": came_to.error}
            self._dialogue.say(said, number=number, own=self._own, **told)
