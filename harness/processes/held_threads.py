"""Some threads of a process stand still, while the others go on."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

from highwater.harness.errors import InfrastructureError, PreconditionError
from highwater.harness.processes.thread_holder import named, state_in

HOLDER = Path(__file__).with_name("thread_holder.py")


@contextmanager
def held_threads(pid: int, beginning: str) -> Generator[Mapping[int, str]]:
    """Threads whose names begin so, by the kernel's numbers, until the context is left.

    Raises PreconditionError where there are none, and where the kernel does not let us, and
    InfrastructureError where they were let go before that.
    """
    with subprocess.Popen(
        [sys.executable, "-I", "-S", str(HOLDER), str(pid), beginning],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ.copy(),
        text=True,
        process_group=0,  # a key that interrupts the harness is for nobody else
    ) as holder:
        try:
            held = {int(each): name for each, name in json.loads(_said(holder)).items()}
            if not held:
                raise PreconditionError(
                    f"expected threads of process {pid} whose names begin with {beginning!r}, saw "
                    f"none; `jstack {pid}` shows their names"
                )
            yield held
            holder.communicate("")
            if holder.returncode:
                raise InfrastructureError(
                    f"expected threads of process {pid} to stand still until now, saw that they "
                    f"were let go: who held them has ended with code {holder.returncode}"
                )
        finally:
            holder.communicate("")


def has_threads(pid: int, beginning: str) -> bool:
    """Whether a process has any whose names begin so; none where it has ended."""
    try:
        return any(named(pid, beginning))
    except OSError:
        return False


def _said(holder: subprocess.Popen[str]) -> str:
    assert holder.stdout is not None
    assert holder.stderr is not None
    line = holder.stdout.readline()
    if not line:
        told = holder.stderr.read().strip().splitlines()[-1:]
        raise PreconditionError(f"threads could not be held: {''.join(told)}")
    return line


def state(pid: int, thread: int) -> str:
    """The one-letter state of a thread: t where it is held (proc(5))."""
    return state_in(Path(f"/proc/{pid}/task/{thread}"))
