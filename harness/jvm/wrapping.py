"""What a node runs under: a wall clock that can be set, and file modes that bind even root.

The clock is libfaketime's: a file says by how much wall-clock time is off, and is read again and
again. Durations (CLOCK_MONOTONIC) stay true, as they do when a machine's clock is set. Root could
write where a mode says read-only, so it loses that capability.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from highwater.harness.wait import wait_until

LIBRARY = "/usr/$LIB/faketime/libfaketimeMT.so.1"  # $LIB is for ld.so, see ld.so(8)
PLACES = ("/usr/lib*/faketime/libfaketimeMT.so.1", "/usr/lib*/*/faketime/libfaketimeMT.so.1")
READ_AGAIN_S = 1
RIGHTS = "--bounding-set=-dac_override,-dac_read_search"


Wrapper = Callable[[Sequence[str]], list[str]]


def clock_can_be_set() -> bool:
    """Whether this machine has libfaketime."""
    return any(True for each in PLACES for _ in Path("/").glob(each.removeprefix("/")))


def wrapper_of(clock: Path | None, *, obeys_file_modes: bool) -> Wrapper:
    """What every program of a node runs under: `clock` is the file that sets its wall clock."""
    if clock is not None:
        clock.write_text("+0\n")
    return partial(_wrapped, clock=clock, obeys_file_modes=obeys_file_modes)


def _wrapped(line: Sequence[str], clock: Path | None, *, obeys_file_modes: bool) -> list[str]:
    under = list(line) if clock is None else _under_clock(line, clock)
    return ["setpriv", RIGHTS, *under] if obeys_file_modes and os.geteuid() == 0 else under


def _under_clock(line: Sequence[str], clock: Path) -> list[str]:
    return [
        "env",
        f"LD_PRELOAD={LIBRARY}",
        f"FAKETIME_TIMESTAMP_FILE={clock}",
        f"FAKETIME_CACHE_DURATION={READ_AGAIN_S}",  # at every look at the clock: far too slow
        "FAKETIME_DONT_FAKE_MONOTONIC=1",
        "FAKETIME_FORCE_MONOTONIC_FIX=0",  # else a JVM that waits spins instead (0.9.10)
        *line,
    ]


def set_clock(clock: Path, shift_s: float) -> None:
    """Put wall-clock time off by so much, and return when it is so; 0 puts it right."""
    written = clock.with_name(clock.name + ".new")
    written.write_text(f"{shift_s:+g}\n")
    written.replace(clock)
    deadline_s = time.monotonic() + READ_AGAIN_S + 1.1  # it counts whole seconds
    wait_until(lambda: time.monotonic() > deadline_s, f"{clock} to be read again")
