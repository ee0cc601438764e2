"""Holds threads of a process by ptrace(2), until its standard input ends: see `held_threads`.

A program of its own, which needs nothing but Python itself: when it ends, however that comes, the
kernel lets go of what it holds.
"""

from __future__ import annotations

import ctypes
import json
import os
import platform
import select
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

SEIZE, INTERRUPT, CONTINUE, DETACH = 0x4206, 0x4207, 7, 17  # requests of ptrace(2)
EVERY_THREAD = 0x40000000  # __WALL of waitpid(2)
TIMEOUT_S = 5.0
LONGEST = 15  # bytes that the kernel keeps of a name
FUTEX = {"x86_64": 202, "aarch64": 98}.get(platform.machine())  # its number among calls
FUTEX_WAITS, FUTEX_PRIVATE = {0, 9}, 0x80 | 0x100  # FUTEX_WAIT, FUTEX_WAIT_BITSET of futex(2)
_ptrace = ctypes.CDLL(None, use_errno=True).ptrace
_ptrace.argtypes = (ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p)
_ptrace.restype = ctypes.c_long


def named(pid: int, beginning: str) -> Iterator[tuple[int, str]]:
    """Threads whose names begin so, as far as the kernel keeps them."""
    for task in sorted(Path(f"/proc/{pid}/task").iterdir(), key=lambda each: int(each.name)):
        with suppress(OSError):  # it has ended
            name = (task / "comm").read_bytes().rstrip(b"\n")
            if name.startswith(beginning.encode(errors="surrogateescape")[:LONGEST]):
                yield int(task.name), name.decode(errors="replace")


def hold(pid: int, thread: int) -> None:
    """Stop it where it waits in the kernel: there a JVM does not wait for it.

    A JVM stands still from its next safepoint on if one of its threads does in the middle of Java.
    """
    asked(SEIZE, thread)
    ends_s, place = time.monotonic() + TIMEOUT_S, Path(f"/proc/{pid}/task/{thread}")
    is_asked = False
    while time.monotonic() < ends_s:
        if not is_asked and state_in(place) == "S":
            asked(INTERRUPT, thread)
            is_asked = True
        if is_asked and os.waitpid(thread, EVERY_THREAD | os.WNOHANG)[0]:
            if waits(place):
                return
            asked(CONTINUE, thread)
            is_asked = False
        select.select((), (), (), 0.001)
    sys.exit(f"expected thread {thread} to wait for something within {TIMEOUT_S:.0f} s: it is busy")


def state_in(place: Path) -> str:
    """The one-letter state of a thread (proc(5)): S where it sleeps."""
    return place.joinpath("stat").read_bytes().rpartition(b")")[2].split()[0].decode()


def waits(place: Path) -> bool:
    """Whether it is in a call to the kernel that waits; /proc says the number, -1 for none.

    Who wakes another one is in such a call as well, and the JVM waits for that.
    """
    number, *arguments = place.joinpath("syscall").read_text().split()
    if int(number) != FUTEX:
        return int(number) >= 0
    return int(arguments[1], 16) & ~FUTEX_PRIVATE in FUTEX_WAITS


def asked(request: int, thread: int) -> None:
    if _ptrace(request, thread, None, None) == -1:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def main(pid: int, beginning: str) -> None:
    """Say what is held, by number, in a line of JSON; then wait."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever is interrupted lets go in its turn
    try:
        held = dict(named(pid, beginning))
    except OSError:
        sys.exit(f"process {pid} is gone")
    for thread in held:
        try:
            hold(pid, thread)
        except PermissionError:
            sys.exit(
                f"thread {thread} is held already, or the kernel does not let us "
                "(kernel.yama.ptrace_scope)"
            )
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
