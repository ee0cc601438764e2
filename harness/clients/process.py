"""One client: a child process that is told what to do, and says what becomes of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from highwater.harness.broker_logs import log_end
from highwater.harness.endings import end_all
from highwater.harness.errors import InfrastructureError, UsageError
from highwater.harness.lifetime import Lifetime
from highwater.harness.patience import left_s
from highwater.harness.processes.freezing import family, freeze, kill_family, thaw
from highwater.harness.wait import wait_until

START_TIMEOUT_S = 30.0
HEARD_TIMEOUT_S = 5.0
END_TIMEOUT_S = 60.0  # it waits for outcomes, and writes what it has not written
WRITE_TIMEOUT_S = 20.0  # after its adapter was killed, for whoever writes down what that said
CONFLUENT = (sys.executable, "-m", "highwater.adapters.confluent")
FOREIGN = (sys.executable, "-m", "highwater.adapters.foreign")  # writes for an adapter of its own

Event = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Launch:
    """Which program, what it is told first, where its errors go, and who kills it if we cannot."""

    order: Mapping[str, Any]  # its first line; "client" is its name
    log: Path
    group: int  # of processes: see harness.processes.warden
    line: tuple[str, ...] = CONFLUENT


class ClientProcess(Lifetime):
    """A client for the length of a `with`; it has begun when the context is entered.

    `hear` is told each line, in order, by the thread that reads them, and by whoever does it that
    the client was `killed`, `paused` or `resumed`, or is about to be told to stop: with all others
    (`stopping`), or by itself (`leaving`).
    Raises InfrastructureError when the program ends without being told to.
    """

    def __init__(self, launch: Launch, hear: Callable[[Event], None]) -> None:
        super().__init__()
        self.name: str = launch.order["client"]
        self.log = launch.log
        self._launch = launch
        self._hear = hear
        self._said: set[str] = set()
        self._has_begun = False
        self._is_killed = self._is_stopping = False
        self.is_paused = False
        self._adapter: int | None = None  # the process that a writer has started, and writes for
        self._frozen: list[int] = []  # processes
        self._untold: list[Mapping[str, Any]] = []
        self._failure: Exception | None = None

    def _begin(self) -> None:
        """Raises UsageError the second time: the records of a client have one author, once."""
        if self._has_begun:
            raise UsageError(f"{self.name} has been started before; make another one")
        self._has_begun = True
        self._launch.log.parent.mkdir(parents=True, exist_ok=True)
        with self._launch.log.open("ab") as log:
            self._process = subprocess.Popen(
                self._launch.line,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                env=os.environ.copy(),
                process_group=self._launch.group,
            )
        self._reader = threading.Thread(target=self._read, name=self.name, daemon=True)
        self._reader.start()
        self._ending.callback(self._end)
        for line in (self._launch.order, *self._untold):
            self._tell(line)
        self.await_said("ready", START_TIMEOUT_S)

    def await_said(self, event: str, timeout_s: float) -> None:
        """Wait for a line that says this."""
        wait_until(
            lambda: self.is_well() and event in self._said,
            f"{self.name} to say that it is {event}",
            timeout_s,
            look=str(self.log),
        )

    def tell(self, line: Mapping[str, Any]) -> None:
        """Say something to it, or as soon as it begins; who has ended hears nothing."""
        if self._has_begun:
            self._tell(line)
        else:
            self._untold.append(line)

    def kill(self) -> None:
        """SIGKILL; returns when it is gone, and all that it said has been heard."""
        self._require_living("is killed")
        self._is_killed = True
        self.is_paused = False
        at_ns = self._kill_now()
        self._reader.join()
        self._hear({"event": "killed", "at_ns": at_ns})

    @contextmanager
    def paused(self) -> Generator[None]:
        """Stopped by SIGSTOP, until the context is left."""
        self.require_awake("is paused")
        try:
            self._stop_all()
            self.is_paused = True
            self._hear({"event": "paused"})
            yield
        finally:
            self._thaw()

    def leave(self) -> None:
        """Have it stop in order, while others go on; returns when it has ended."""
        self.require_awake("leaves")
        self._is_stopping = True  # which is not the end of all of them
        self._hear({"event": "leaving"})
        self._stop()

    def _stop_all(self) -> None:
        """The process of the client, and those that it started: who is stopped starts no more."""
        while new := [each for each in family(self._pid) if each not in self._frozen]:
            for each in new:
                self._frozen.append(each)
                freeze(each, self.name)

    def _thaw(self) -> None:
        """Once, at the end of a pause, or of the client, where that comes first."""
        frozen, self._frozen = self._frozen, []
        self.is_paused = False
        if frozen and not self._is_killed:
            for each in reversed(frozen):
                with suppress(FileNotFoundError, ProcessLookupError):  # it has ended meanwhile
                    thaw(each, self.name)
            self._hear({"event": "resumed"})

    @property
    def _pid(self) -> int:
        """Of the process that the client lives in."""
        return self._adapter or self._process.pid

    def _kill_now(self) -> int:
        """The client, and not who writes down what it said: that ends when it has written all.

        Returns since when the client does nothing any more, by the clock of `time.monotonic_ns`.
        """
        kill_family(self._pid)
        at_ns = time.monotonic_ns()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(None if self._adapter is None else WRITE_TIMEOUT_S)
        self._process.kill()
        self._process.wait()
        return at_ns

    def say_stopping(self) -> None:
        """That it is to stop, once: who stops several says so of all before the first one does."""
        if self._has_begun and not self._is_killed and not self._is_stopping:
            self._is_stopping = True
            order = self._launch.order
            whose = {"group": order["group"]} if "group" in order else {}
            self._hear({"event": "stopping", **whose})

    def _require_living(self, when: str) -> None:
        if not self.is_well() or self.why_over:
            raise UsageError(f"expected {self.name} to live when it {when}, saw that it is gone")

    def require_awake(self, when: str) -> None:
        """Who is frozen does nothing in order, and is thawed by whoever froze it."""
        self._require_living(when)
        if self.is_paused:
            raise UsageError(f"expected {self.name} to run when it {when}, saw that it is frozen")

    @property
    def why_over(self) -> str:
        """Why it does nothing more, and never will; empty as long as it may."""
        if self._is_killed:
            return "it was killed"
        return "it has ended" if "ended" in self._said else ""

    def is_well(self) -> bool:
        """True; raises InfrastructureError when it has ended by itself, or said what nobody reads.

        The end of its log says why. Who was killed by us is well. Raises UsageError before it has
        been started.
        """
        if not self._has_begun:
            raise UsageError(f"{self.name} has not been started: expected `with` around its use")
        if self._is_killed:
            return True
        has_ended = self._process.poll() is not None
        if has_ended:
            self._reader.join(HEARD_TIMEOUT_S)  # what it said last may not have been heard yet
        if self._failure is not None:
            raise InfrastructureError(f"{self.name}: {self._failure}") from self._failure
        if has_ended and "ended" not in self._said:
            raise InfrastructureError(
                f"the client {self.name} ended by itself (exit code {self._process.returncode}); "
                f"the end of {self.log}:\n{log_end(self.log)}"
            )
        return True

    def _end(self) -> None:
        """Tell it to stop, and wait until it has said its last; kills one that does not."""
        end_all([self._thaw, self._stop, self._kill, self._reader.join, self._close_pipes])

    def _stop(self) -> None:
        if self._is_killed:
            return
        self.say_stopping()
        self.tell({"do": "stop"})
        wait_until(
            lambda: self.is_well() and "ended" in self._said,
            f"{self.name} to end",
            left_s(END_TIMEOUT_S),
            look=str(self.log),
        )

    def _kill(self) -> None:
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(1 if "ended" in self._said else 0)
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()

    def _close_pipes(self) -> None:
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(BrokenPipeError):
                    pipe.close()

    def _tell(self, line: Mapping[str, Any]) -> None:
        if self._process.stdin is not None and not self._process.stdin.closed:
            with suppress(BrokenPipeError):  # it has ended: `is_well` says how
                self._process.stdin.write(json.dumps(line).encode() + b"\n")
                self._process.stdin.flush()

    def _read(self) -> None:
        try:
            for line in self._process.stdout or ():
                event = json.loads(line)
                self._adapter = event["pid"] if event["event"] == "spawned" else self._adapter
                self._hear(event)
                self._said.add(event["event"])
        except Exception as error:  # noqa: BLE001 - whoever asks for anything next raises it
            self._failure = error
