"""A client of ours that has started before anybody needs it: most of its start is to import."""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
import threading

CONFLUENT = (sys.executable, "-m", "highwater.adapters.confluent")
END_TIMEOUT_S = 5.0


class Spares:
    """One process that waits for its first line, at most; it ends when its standard input does.

    It has a group of processes of its own, and no log: its first line says which of both it is to
    have, and in which directory. Who is killed takes its standard input along, so that it ends.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: subprocess.Popen[bytes] | None = None

    def prepare(self) -> None:
        """Start one, unless one is there."""
        with self._lock:
            if self._waiting is None:
                self._waiting = subprocess.Popen(
                    CONFLUENT,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    env=os.environ.copy(),
                    process_group=0,  # Ctrl-C is for the harness
                )

    def take(self) -> subprocess.Popen[bytes] | None:
        """The one that is there, if it lives."""
        with self._lock:
            taken, self._waiting = self._waiting, None
        if taken is None or taken.poll() is None:
            return taken
        _end(taken)
        return None

    def close(self) -> None:
        """Nobody waits any more."""
        with self._lock:
            left, self._waiting = self._waiting, None
        if left is not None:
            _end(left)


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.communicate(timeout=END_TIMEOUT_S)


spares = (
    Spares()
)  # of this process: clients of all plays are alike until they are told who they are
atexit.register(spares.close)
