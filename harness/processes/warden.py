"""Kills every process of a cluster when the harness is gone, however it went.

The warden leads a process group that all JVMs and the gate join. It reads its standard input,
whose other end only the harness holds: end of file means that the harness has ended, even by
SIGKILL, and then the whole group is killed, paused processes included.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from types import TracebackType
from typing import Self


class Warden:
    """A process group that dies with us; leaving the context kills whatever is still in it."""

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            env=os.environ.copy(),  # a thread that sets a variable may move the C library's array
            process_group=0,
        )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._process.stdin is not None:
            self._process.stdin.close()
        # By ourselves as well, in case somebody killed the warden; before wait(), while its
        # process id, and with it the group's, cannot be anybody else's.
        with suppress(ProcessLookupError):
            os.killpg(self.group, signal.SIGKILL)
        self._process.wait()

    @property
    def group(self) -> int:
        """For `subprocess.Popen(process_group=...)`."""
        return self._process.pid


def _watch() -> None:
    for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_IGN)
    sys.stdin.buffer.read()
    os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    _watch()
