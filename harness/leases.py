"""Temporary directories that can be told from those whose process has ended.

Each has a file that its process has locked (flock) for as long as it lives: the kernel releases
the lock when the process ends, however it ends. A process id would not do, for containers that
share the temporary directory count their processes each for itself.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from contextlib import ExitStack
from pathlib import Path

from highwater.harness.lifetime import Lifetime

PREFIX = "highwater-"
BEING_MADE = ".being-made-"  # before the name of a directory whose file is not locked yet
LOCK = ".lease"


class Lease(Lifetime):
    """A new directory `directory` in the temporary directory, until the context is left.

    Its name has the process's number and `label`, for people; only the lock says that it is in use.
    """

    def __init__(self, label: str = "") -> None:
        super().__init__()
        self._prefix = f"{PREFIX}{os.getpid()}-{label}"
        self.directory: Path

    def _begin(self) -> None:
        made = Path(tempfile.mkdtemp(prefix=BEING_MADE + self._prefix))
        self._ending.callback(shutil.rmtree, made, True)
        lock = os.open(made / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self._ending.callback(os.close, lock)
        fcntl.flock(lock, fcntl.LOCK_EX)
        self.directory = made.rename(made.with_name(made.name.removeprefix(BEING_MADE)))
        self._ending.callback(shutil.rmtree, self.directory, True)


def sweep() -> list[Path]:
    """Remove the directories of processes that have ended; returns what was removed."""
    return [each for each in Path(tempfile.gettempdir()).glob(f"{PREFIX}*") if _swept(each)]


def _swept(directory: Path) -> bool:
    with ExitStack() as stack:
        try:
            lock = os.open(directory / LOCK, os.O_RDWR | os.O_CLOEXEC)
            stack.callback(os.close, lock)
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:  # it is in use, somebody else's, or none of ours
            return False
        shutil.rmtree(directory, ignore_errors=True)
        return True
