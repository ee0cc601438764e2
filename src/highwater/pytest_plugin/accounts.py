"""What to say of a test that raised something: of its play, and of where it stopped."""

from __future__ import annotations

import traceback
from dataclasses import replace

import pytest

from highwater.account import Account, inconclusive
from highwater.harness.errors import HighwaterError, UsageError


def account_of(error: BaseException, judged: Account | None, item: pytest.Item) -> Account:
    """What to say of a test that raised `error`, when its play, if it had one, is judged.

    Where there is a text, it says all; without one the error has to be shown as pytest does.
    """
    line = f"{type(error).__name__}: {error}".partition("\n")[0]
    if isinstance(error, UsageError):  # a mistake in the test, which is told without a traceback
        text = f"{error}\n{_place_in(item, error)}"
        return Account(outcome="failed", reason=line, text=text)
    if not isinstance(error, HighwaterError):
        if judged is None or judged.outcome != "failed":
            return Account(outcome="failed", reason=line)
        error.add_note(judged.text)
        return replace(judged, reason=f"{judged.reason}; {line}", text="")
    stopped = f"the test stopped {_place_in(item, error)}"
    if judged is None:
        return inconclusive(str(error), stopped)
    said = f" by {line}" if judged.outcome == "failed" else ""
    return replace(judged, text=f"{judged.text}\n{stopped}{said}")


def _place_in(item: pytest.Item, error: BaseException) -> str:
    """The last line of the test's own file that led to an error."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.filename == str(item.path)]
    return f"at {item.path.name}:{own[-1].lineno}: {own[-1].line}" if own else f"in {item.nodeid}"
