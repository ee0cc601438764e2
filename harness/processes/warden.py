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
from pathlib import Path

from highwater.harness.lifetime import Lifetime

LEADER = Path(__file__).with_name("group_leader.py")


class Warden(Lifetime):
    """A process group that dies with us; leaving the context kills whatever is still in it."""

    def _begin(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(LEADER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            env=os.environ.copy(),  # a thread that sets a variable may move the C library's array
            process_group=0,
        )
        self._ending.callback(self._kill_all)

    def _kill_all(self) -> None:
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
