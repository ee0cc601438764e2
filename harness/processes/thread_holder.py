"""Holds threads of a process by ptrace(2), until its standard input ends: see `held_threads`.

A program of its own, which needs nothing but Python itself: when it ends, however that comes, the
kernel lets go of what it holds.
"""

from __future__ import annotations

import ctypes
import json
import os
import select
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

SEIZE, INTERRUPT, CONTINUE, DETACH = 0x4206, 0x4207, 7, 17  # requests of ptrace(2)
EVERY_THREAD = 0x40000000  # __WALL of waitpid(2)
TIMEOUT_S = 5.0
LONGEST = 15  # what the kernel keeps of a name
_ptrace = ctypes.CDLL(None, use_errno=True).ptrace
_ptrace.argtypes = (ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p)
_ptrace.restype = ctypes.c_long


def named(pid: int, beginning: str) -> Iterator[tuple[int, str]]:
    """Threads whose names begin so, as far as the kernel keeps them."""
    for task in sorted(Path(f"/proc/{pid}/task").iterdir(), key=lambda each: int(each.name)):
        with suppress(OSError):  # it has ended
            name = (task / "comm").read_text().rstrip("\n")
            if name.startswith(beginning[:LONGEST]):
                yield int(task.name), name


def hold(pid: int, thread: int) -> None:
    """Stop it where it waits in the kernel: there a JVM does not wait for it.

    A JVM stands still from its next safepoint on if one of its threads does in the middle of Java.
    """
    asked(SEIZE, thread)
    ends_s = time.monotonic() + TIMEOUT_S
    while time.monotonic() < ends_s:
        asked(INTERRUPT, thread)
        os.waitpid(thread, EVERY_THREAD)
        if waits(pid, thread):
            return
        asked(CONTINUE, thread)
        select.select((), (), (), 0.001)
    sys.exit(f"expected thread {thread} to wait for something within {TIMEOUT_S:.0f} s: it is busy")


def waits(pid: int, thread: int) -> bool:
    """Whether it is in a call to the kernel, of which /proc says the number: -1 is none."""
    return int(Path(f"/proc/{pid}/task/{thread}/syscall").read_text().split()[0]) >= 0


def asked(request: int, thread: int) -> None:
    if _ptrace(request, thread, None, None) == -1:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def main(pid: int, beginning: str) -> None:
    """Say what is held, by number, in a line of JSON; then wait."""
    held = dict(named(pid, beginning))
    for thread in held:
        hold(pid, thread)
    print(json.dumps(held), flush=True)
    while not select.select((sys.stdin,), (), (), 0.1)[0]:
        with suppress(ChildProcessError):  # a thread that is killed is there until it is waited for
            while os.waitpid(-1, EVERY_THREAD | os.WNOHANG)[0]:
                pass
    for thread in held:
        with suppress(OSError):  # it is gone
            asked(DETACH, thread)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
