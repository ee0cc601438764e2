"""wait_until(): the one place that sleeps."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from highwater.harness.errors import DeadlineError
from highwater.harness.patience import left_s

T = TypeVar("T")

POLL_INTERVAL_S = 0.02

# What a probe may raise while a broker is being killed, starting, or moving leadership.
NOT_YET: tuple[type[Exception], ...] = (OSError, EOFError, LookupError)


def wait_until(
    condition: Callable[[], T],
    what: str,
    timeout_s: float = 30.0,
    *,
    interval_s: float = POLL_INTERVAL_S,
    look: str = "",
) -> T:
    """Poll `condition` until it returns something true, and return that.

    `what` completes "waited for ..."; `look` says where to look next. OSError, EOFError and
    LookupError raised by the condition mean "not yet"; anything else passes through.
    Raises DeadlineError after `timeout_s` seconds, or when the process has been told to end, naming
    the last thing seen.
    """
    started = time.monotonic()
    while True:
        try:
            seen = condition()
            if seen:
                return seen
            last = repr(seen)
        except NOT_YET as error:
            last = f"{type(error).__name__}: {error}"
        waited_s = time.monotonic() - started
        if not left_s(timeout_s - waited_s) > 0:  # what is no number is no time either
            hint = f"; look at {look}" if look else ""
            raise DeadlineError(f"waited {waited_s:.1f} s for {what}; last seen: {last}{hint}")
        time.sleep(interval_s)  # noqa: TID251 - the one place that sleeps
