"""One JVM: started, stopped, frozen and killed, each with a look that proves it."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from highwater.harness.broker_logs import how_it_ended
from highwater.harness.errors import InfrastructureError, PreconditionError
from highwater.harness.jvm.wrapping import Wrapper
from highwater.harness.processes.freezing import freeze, thaw
from highwater.harness.wait import wait_until

STOP_TIMEOUT_S = 30.0
RUN_TIMEOUT_S = 10.0
CONTAINERS_HAVE = "of its own: containers have one, so use --backend docker"


@dataclass(frozen=True, slots=True)
class Command:
    """How to start a node: the whole command line, where to run it, whose group it joins."""

    line: Sequence[str]
    directory: Path
    group: int
    wrapper: Wrapper = list  # what every program there runs under


class ProcessNode:
    """A JVM as a process of this machine; may be started again after it has ended."""

    def __init__(self, name: str, command: Command) -> None:
        self.name = name
        self.log = command.directory / f"{name}.log"
        self._command = command
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        if self._process is None:
            raise InfrastructureError(f"{self.name} was never started")
        return self._process.pid

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command.wrapper(self._command.line),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self._command.directory,
                env=os.environ.copy(),
                process_group=self._command.group,
            )

    def kill(self) -> None:
        """SIGKILL; returns when the process is gone."""
        self._signal(signal.SIGKILL)
        self._await_end()

    def terminate(self, timeout_s: float = STOP_TIMEOUT_S) -> None:
        """SIGTERM, for an orderly shutdown; returns when the process is gone."""
        self._signal(signal.SIGTERM)
        self._await_end(timeout_s)

    def reap(self) -> None:
        """Wait for a process that somebody else has killed, so that no zombie stays."""
        if self._process is not None:
            self._process.wait(STOP_TIMEOUT_S)

    def pause(self) -> None:
        """SIGSTOP; returns when the kernel says that it is stopped."""
        self.assert_running()
        freeze(self.pid, self.name)

    def resume(self) -> None:
        """SIGCONT; returns when the kernel says that it runs again."""
        self.assert_running()
        thaw(self.pid, self.name)

    def assert_running(self) -> bool:
        """True; raises InfrastructureError with the end of the log when the process has ended."""
        if not self.running:
            code = self._process.returncode if self._process else None
            raise InfrastructureError(how_it_ended(self.name, code, self.log))
        return True

    def limit_cpu(self, cores: float | None) -> None:  # noqa: ARG002 - a Node has it
        """Not for a process of this machine: raises PreconditionError."""
        raise PreconditionError(f"{self.name} has no CPU quota {CONTAINERS_HAVE}")

    def disconnect(self) -> None:
        """Not for a process of this machine: raises PreconditionError."""
        raise PreconditionError(f"{self.name} shares this machine's network {CONTAINERS_HAVE}")

    reconnect = disconnect

    def run(self, words: Sequence[str]) -> str:
        """What a program says there; raises PreconditionError with its output when it fails."""
        done = subprocess.run(
            self._command.wrapper(words),
            capture_output=True,
            text=True,
            check=False,
            timeout=RUN_TIMEOUT_S,
            env=os.environ.copy(),
        )
        if done.returncode:
            raise PreconditionError(f"{words} on {self.name}: {(done.stdout + done.stderr)[-400:]}")
        return done.stdout

    def resident_mib(self) -> int:
        """Resident set size, MiB."""
        for line in Path(f"/proc/{self.pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Rss:"):
                return int(line.split()[1]) // 1024
        raise InfrastructureError(f"no Rss line in smaps_rollup of {self.name}")

    def _signal(self, number: signal.Signals) -> None:
        self.assert_running()
        os.kill(self.pid, number)

    def _await_end(self, timeout_s: float = STOP_TIMEOUT_S) -> None:
        wait_until(lambda: not self.running, f"{self.name} to end", timeout_s, look=str(self.log))
