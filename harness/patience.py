"""How long this process may still wait: once it is told to end, all of its waits end in moments.

SIGINT or SIGTERM raises Interrupted in the main thread, once; a second one must not stop the
healing that the first one has begun. While something is being ended nothing is raised, for whatever
unwinds there would leave the rest as it is: Interrupted comes when that is over, and it is over
soon, as every wait asks `left_s` how long it may last. Nor is anything raised while a module is
imported, whose locks would stay locked; and what Python itself swallows is raised once more.
"""

from __future__ import annotations

import logging
import signal
import sys
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

from highwater.harness.errors import Interrupted

HURRY_S = 2.0
PUT_OFF_S = 0.02
SLICE_S = 0.2  # a wait that cannot be interrupted is made of slices of this length


@dataclass(slots=True)
class _State:
    """Of the process: there is one set of signals as well."""

    ends_s: float | None = None  # when the last wait ends, by time.monotonic(); None: at no time
    shields: int = 0  # how many endings the main thread is in
    is_due: bool = False  # Interrupted has not been raised yet
    is_put_off: bool = False  # it is to be raised in a moment


_state = _State()


@dataclass(slots=True)
class Shield:
    """One ending that was not to be interrupted."""

    interrupted: bool = False  # meanwhile: whoever shielded it raises Interrupted when it is over


def interrupt(_signal: int | None = None, frame: FrameType | None = None) -> None:
    """A signal handler: raises Interrupted the first time, unless something is being ended."""
    if _state.ends_s is not None and not _state.is_put_off:
        return
    _state.is_put_off = False
    if _state.ends_s is None:
        _state.ends_s = time.monotonic() + HURRY_S
        # py4j logs what interrupts it to the root, which prints a traceback where nobody listens.
        logging.getLogger().addHandler(logging.NullHandler())
        sys.unraisablehook = _raise_again
    if _state.shields:
        _state.is_due = True
    elif _is_importing(frame):
        _put_off()
    else:
        raise Interrupted


def _is_importing(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib."):
            return True
        frame = frame.f_back
    return False


def _put_off() -> None:
    _state.is_put_off = True
    signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, PUT_OFF_S)


def _raise_again(swallowed: sys.UnraisableHookArgs) -> None:
    """In a finalizer, or a callback of a weak reference, nothing can be raised."""
    if swallowed.exc_type is not Interrupted:
        sys.__unraisablehook__(swallowed)
    elif threading.current_thread() is threading.main_thread():
        _put_off()


def is_interrupted() -> bool:
    """Whether this process has been told to end."""
    return _state.ends_s is not None


def left_s(timeout_s: float) -> float:
    """How long a wait may last, in seconds, that was to last no longer than `timeout_s`."""
    if _state.ends_s is None:
        return timeout_s
    return max(0.0, min(timeout_s, _state.ends_s - time.monotonic()))


@contextmanager
def shielded() -> Generator[Shield]:
    """Raise no Interrupted in here; the outermost of several is told that there was one."""
    shield = Shield()
    if threading.current_thread() is not threading.main_thread():
        yield shield
        return
    _state.shields += 1
    try:
        yield shield
    finally:
        _state.shields -= 1
        if not _state.shields:
            shield.interrupted, _state.is_due = _state.is_due, False


@contextmanager
def exposed() -> Generator[None]:
    """Within a shield: what follows may be interrupted all the same, or not begin at all."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    shields, _state.shields = _state.shields, 0
    try:
        if _state.is_due:
            _state.is_due = False
            raise Interrupted
        yield
    finally:
        _state.shields = shields
