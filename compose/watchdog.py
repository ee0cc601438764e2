"""Removes a cluster's containers when the harness has ended, however it ended; borrowed ones get
their own configuration back.

A process of its own, in a session of its own: Ctrl-C does not reach it. It reads its standard
input, whose other end only the harness holds; end of file means that the harness has ended, even
by SIGKILL. That is how Testcontainers' Ryuk works, without an image to be pulled.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import docker
from docker.errors import DockerException
from requests.exceptions import RequestException

from highwater.compose.restoration import is_restored, restore, start_again
from highwater.compose.sweep import left_over, remove_session
from highwater.harness.errors import DeadlineError, InfrastructureError
from highwater.harness.lifetime import Lifetime
from highwater.harness.patience import SLICE_S, is_interrupted, left_s
from highwater.harness.wait import wait_until

PERSISTENCE_S = 120.0  # a daemon that is restarting comes back
ATTACHED = "compose:"  # before the name of a project that is only borrowed
STAND_INS = "stand-ins:"  # before a session, and the ids of those for whom its containers stand


class Watchdog(Lifetime):
    """For a `with`; leaving it closes its standard input and waits for the removal.

    Up to PERSISTENCE_S, or for moments once this process is told to end: the watchdog goes on.
    """

    def __init__(self, session: str) -> None:
        super().__init__()
        self._session = session

    def _begin(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "highwater.compose.watchdog", self._session],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=os.environ.copy(),
            start_new_session=True,
        )
        self._ending.callback(self._await_removal)

    def _await_removal(self) -> None:
        """Raises InfrastructureError when something is left all the same."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            code = self._process.wait(max(SLICE_S, left_s(PERSISTENCE_S)))
        except subprocess.TimeoutExpired:  # it goes on without us
            code = None
        if code is None and is_interrupted():
            raise InfrastructureError(f"its watchdog is still removing what is of {self._session}")
        if code != 0:
            raise InfrastructureError(
                f"something of {self._session} is still there {PERSISTENCE_S:.0f} s after its end; "
                "see: docker ps --all; take it away with: highwater clean"
            )


def _watch(session: str) -> None:
    for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_IGN)
    sys.stdin.buffer.read()
    try:
        wait_until(lambda: _is_gone(session), f"nothing of {session} to be left", PERSISTENCE_S)
    except DeadlineError as error:
        sys.exit(f"{error}; take it away with: highwater clean")


def _is_gone(session: str) -> bool:
    try:
        client = docker.from_env()
        if session.startswith(ATTACHED):
            project = session.removeprefix(ATTACHED)
            if not is_restored(client, project):
                restore(client, project)
            return is_restored(client, project)
        session, _, ids = session.removeprefix(STAND_INS).partition(":")
        remove_session(client, session)
        return not left_over(client, session) and start_again(client, ids.split(","))
    except (DockerException, RequestException):
        return False  # the daemon does not answer, or a container is being made: once more


if __name__ == "__main__":
    _watch(sys.argv[1])
