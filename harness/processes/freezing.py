"""A process is stopped and goes on, each with a look that proves it; or it is killed."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path

from highwater.harness.wait import wait_until

TIMEOUT_S = 5.0


def freeze(pid: int, name: str) -> None:
    """SIGSTOP; returns when the kernel says that it is stopped."""
    os.kill(pid, signal.SIGSTOP)
    wait_until(lambda: _state(pid) == "T", f"{name} to be stopped", TIMEOUT_S)


def thaw(pid: int, name: str) -> None:
    """SIGCONT; returns when the kernel says that it runs again."""
    os.kill(pid, signal.SIGCONT)
    wait_until(lambda: _state(pid) != "T", f"{name} to run again", TIMEOUT_S)


def family(pid: int) -> list[int]:
    """A process and those that it has started, and they: a script may be no more than a start."""
    found = [pid]
    for each in found:
        for task in _tasks(each):
            with suppress(OSError):  # it has ended
                found += map(int, (task / "children").read_text().split())
    return found


def _tasks(pid: int) -> list[Path]:
    """None of a process that ends meanwhile: to list a directory of its may fail then."""
    with suppress(OSError):
        return list(Path(f"/proc/{pid}/task").iterdir())
    return []


def kill_family(pid: int) -> None:
    """SIGKILL to all of it."""
    for each in family(pid):
        with suppress(ProcessLookupError):
            os.kill(each, signal.SIGKILL)


def _state(pid: int) -> str:
    """The one-letter state of a process, R, S, T ... (proc(5))."""
    stat = Path(f"/proc/{pid}/stat").read_text()
    return stat.rpartition(")")[2].split()[0]
