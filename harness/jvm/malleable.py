"""A JVM whose clock can be set while it runs, and which obeys file modes even as root.

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
READ_AGAIN_S = 1
RIGHTS = "--bounding-set=-dac_override,-dac_read_search"


Wrapper = Callable[[Sequence[str]], list[str]]


def wrapper_of(clock: Path | None) -> Wrapper:
    """What every program of a node runs under: nothing, without a clock of its own."""
    if clock is None:
        return list
    clock.write_text("+0\n")
    return partial(malleable, clock=clock)


def malleable(line: Sequence[str], clock: Path) -> list[str]:
    """Put a command line under a clock that the file `clock` sets."""
    faked = [
        "env",
        f"LD_PRELOAD={LIBRARY}",
        f"FAKETIME_TIMESTAMP_FILE={clock}",
        f"FAKETIME_CACHE_DURATION={READ_AGAIN_S}",  # at every look at the clock: far too slow
        "FAKETIME_DONT_FAKE_MONOTONIC=1",
        "FAKETIME_FORCE_MONOTONIC_FIX=0",  # else a JVM that waits spins instead (0.9.10)
        *line,
    ]
    return ["setpriv", RIGHTS, *faked] if os.geteuid() == 0 else faked


def set_clock(clock: Path, shift_s: float) -> None:
    """Put wall-clock time off by so much, and return when it is so; 0 puts it right."""
    written = clock.with_name(clock.name + ".new")
    written.write_text(f"{shift_s:+g}\n")
    written.replace(clock)
    deadline_s = time.monotonic() + READ_AGAIN_S + 1.1  # it counts whole seconds
    wait_until(lambda: time.monotonic() > deadline_s, f"{clock} to be read again")
