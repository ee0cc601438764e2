"""Ending several things: each of them, whatever becomes of the others; no error hides another.

An error while healing must not take the place of what went wrong before: Ctrl-C would become a
trial that proves nothing. So the gravest error is raised, and the others are its notes.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import Any, TypeVar

from highwater.harness.errors import ENVIRONMENT, Interrupted, in_words
from highwater.harness.patience import shielded

EnteredT = TypeVar("EnteredT")
Step = Callable[[], object]


class Endings:
    """What has to be ended, newest first; nothing that fails keeps the rest from being ended."""

    def __init__(self) -> None:
        self._steps: list[Step] = []

    def callback(self, end: Callable[..., object], *arguments: Any) -> None:
        """Call this at the end."""
        self._steps.append(partial(end, *arguments))

    def enter_context(self, context: AbstractContextManager[EnteredT]) -> EnteredT:
        """Enter it now, and leave it at the end."""
        entered = context.__enter__()
        self.callback(context.__exit__, None, None, None)
        return entered

    def close(self, original: BaseException | None = None) -> None:
        """End everything; raises what goes wrong, unless `original`, which unwinds, is graver.

        Then what goes wrong is told by notes of `original`, which the caller raises.
        """
        newest_first = self._steps[::-1]
        self._steps.clear()
        end_all(newest_first, original)


def end_all(steps: Sequence[Step], original: BaseException | None = None) -> None:
    """Take every step, in this order; raises the gravest error: see Endings.close."""
    handled = sys.exception()
    errors = [] if original is None else [original]
    with shielded() as shield:
        for step in steps:
            try:
                step()
            except BaseException as error:  # noqa: BLE001 - raised below, when all have ended
                errors.append(error)
    if shield.interrupted:
        errors.append(Interrupted())
    if errors:
        chosen = gravest(errors, handled)
        if chosen is not original:
            raise chosen


def gravest(errors: Sequence[BaseException], handled: BaseException | None = None) -> BaseException:
    """The one to be raised of several, in the order in which they came; the others are its notes.

    An interruption comes first, then what is wrong with the program or the test, then what is of
    ENVIRONMENT; of equals the first one. For `handled` see `chain`.
    """
    unmasked = [each for error in errors for each in chain(error, handled)]
    several = list({id(error): error for error in unmasked}.values())
    chosen = min(several, key=_rank)
    for error in several:
        note = f"besides: {in_words(error)}"
        if error is not chosen and note not in getattr(chosen, "__notes__", ()):
            chosen.add_note(note)
    return chosen


def chain(error: BaseException, handled: BaseException | None = None) -> list[BaseException]:
    """The errors that this one hides, oldest first, and itself.

    Python raises an error of a `finally` in the place of the one that unwinds, which is its context
    then. One that was raised "from" another stands for it and hides nothing; nor is the error
    hidden, and what came before it, that was being `handled` already.
    """
    found = [error]
    while not error.__suppress_context__ and error.__context__ is not None:
        error = error.__context__
        if error is handled or any(error is other for other in found):
            break
        found.append(error)
    return found[::-1]


def _rank(error: BaseException) -> int:
    if not isinstance(error, Exception):
        return 0
    return 2 if isinstance(error, ENVIRONMENT) else 1
