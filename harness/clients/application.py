"""A program of the user's own: started with a cluster's address, killed, frozen, started again.

It speaks no protocol. What it prints is kept, and the first lines stand on the timeline; what it
did is judged by its topics, see `harness.clients.contract`.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from highwater.harness.broker_logs import log_end
from highwater.harness.clients.contract import Contract
from highwater.harness.clients.starting import Start
from highwater.harness.clients.terms import Terms
from highwater.harness.errors import DeadlineError, PreconditionError, UsageError
from highwater.harness.lifetime import Lifetime
from highwater.harness.patience import left_s
from highwater.harness.processes.freezing import family, freeze, thaw
from highwater.harness.topic import Topic
from highwater.harness.wait import wait_until

STOP_TIMEOUT_S = 30.0
HEARD_TIMEOUT_S = 5.0
READ_INTERVAL_S = 0.1  # its whole log is read each time
TOLD_LINES = 200  # on the timeline; all are in its log
LONGEST_LINE = 400

Telling = Callable[[str, str, str], None]  # its name, what happened, and a line that it printed
Contracting = Callable[["Application", Topic, Topic | None, Terms], Contract]


class Application(Lifetime):
    """The user's program for the length of a `with`: it has been started when that is entered.

    It ends with it: SIGTERM, and SIGKILL for one that does not end in time. One that ended by
    itself, and was not waited for (`await_end`), raises PreconditionError where it is next asked
    about, with the last lines that it printed.
    """

    def __init__(self, name: str, start: Start, tell: Telling, contracting: Contracting) -> None:
        super().__init__()
        self.name = name
        self._start = start
        self._tell = tell
        self._contracting = contracting
        self._process: subprocess.Popen[bytes] | None = None
        self._readers: list[threading.Thread] = []
        self._told = 0  # lines
        self._is_open = False
        self._may_be_gone, self._is_paused = True, False  # nobody expects it to run

    @property
    def log(self) -> Path:
        """All that it printed, however often it was started."""
        return self._start.log

    def contract(
        self, inputs: Topic, into: Topic | None = None, terms: Terms | None = None
    ) -> Contract:
        """What it shall make of each record of a topic, as the judge is asked at the end.

        Its outputs are the records of the topic `into`, which nobody else sends to; or, where there
        is none, what `hand_over` is given. Raises UsageError for what cannot be asked.
        """
        return self._contracting(self, inputs, into, Terms() if terms is None else terms)

    def _begin(self) -> None:
        self._start.log.parent.mkdir(parents=True, exist_ok=True)
        self._ending.callback(self._end)
        self._is_open = True
        self.start()

    # -- its life

    def start(self) -> None:
        """Start it again, after it was killed or has ended; raises UsageError for one that runs."""
        self._require_open()
        if self.is_running:
            raise UsageError(f"expected {self.name} to have ended, saw that it runs")
        self._join()
        environment = {**os.environ, **self._start.env}
        try:
            self._process = subprocess.Popen(
                list(self._start.command),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                env=environment,
                process_group=self._start.group,
            )
        except OSError as error:
            raise PreconditionError(f"{self.name} cannot be started: {error}") from error
        self._may_be_gone = self._is_paused = False
        reader = threading.Thread(
            target=self._read, args=(self._process.stdout,), name=self.name, daemon=True
        )
        self._tell(self.name, "started", "")  # before anything that it says
        reader.start()
        self._readers.append(reader)

    def kill(self) -> None:
        """SIGKILL, it and whatever it has started; returns when it is gone."""
        self._require_running("killed")
        self._may_be_gone = True
        self._kill(family(self.pid))
        self._join()
        self._tell(self.name, "killed", "")

    @contextmanager
    def paused(self) -> Generator[None]:
        """Frozen (SIGSTOP), with whatever it has started, until the context is left."""
        self._require_running("paused")
        if self._is_paused:
            raise UsageError(f"expected {self.name} to run when it is paused, saw it frozen")
        stopped: list[int] = []
        self._is_paused = True
        try:
            while new := [each for each in family(self.pid) if each not in stopped]:
                for each in new:
                    stopped.append(each)
                    freeze(each, self.name)
            self._tell(self.name, "paused", "")
            yield
        finally:
            self._is_paused = False
            for each in reversed(stopped):
                with suppress(FileNotFoundError, ProcessLookupError):  # killed meanwhile
                    thaw(each, self.name)
            if self.is_running:
                self._tell(self.name, "resumed", "")

    def stop(self, timeout_s: float = STOP_TIMEOUT_S) -> None:
        """SIGTERM, as who operates it does; raises DeadlineError where it does not end in time."""
        self._require_running("stopped")
        self._may_be_gone = True
        self._terminate(timeout_s)

    def restart(self, timeout_s: float = STOP_TIMEOUT_S) -> None:
        """Stop it in order, and start it again."""
        self.stop(timeout_s)
        self.start()

    # -- what is known of it

    @property
    def pid(self) -> int:
        """Of its process; raises UsageError before it has been started."""
        if self._process is None:
            raise UsageError(f"{self.name} has not been started: expected `with` around its use")
        return self._process.pid

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def is_well(self) -> bool:
        """True; raises PreconditionError for one that has ended by itself, with its last words."""
        if self._process is None:
            raise UsageError(f"{self.name} has not been started: expected `with` around its use")
        if not self.is_running and not self._may_be_gone:
            self._join()
            raise PreconditionError(
                f"{self.name} ended by itself (exit code {self._process.returncode}); the end of "
                f"{self.log}:\n{log_end(self.log)}"
            )
        return True

    @property
    def lines(self) -> Sequence[str]:
        """All that it has printed so far."""
        text = self.log.read_text(errors="replace") if self.log.exists() else ""
        return text.splitlines()

    @property
    def json_lines(self) -> Sequence[Any]:
        """Those of its lines that are JSON objects."""
        return [each for each in map(_object, self.lines) if each is not None]

    def await_said(self, text: str, timeout_s: float = 60.0) -> None:
        """Wait until it has printed a line, now or before, that has this in it."""
        wait_until(
            lambda: self._has_said(text) or not self.is_well(),
            f"{self.name} to print {text!r}",
            timeout_s,
            interval_s=READ_INTERVAL_S,
            look=str(self.log),
        )

    def _has_said(self, text: str) -> bool:
        return any(text in line for line in self.lines)

    def await_end(self, timeout_s: float = 60.0) -> int:
        """Wait until it ends by itself; returns its exit code, and raises nothing for it."""
        process = self._process
        if process is None:
            raise UsageError(f"{self.name} has not been started: expected `with` around its use")
        wait_until(
            lambda: process.poll() is not None,
            f"{self.name} to end",
            timeout_s,
            look=str(self.log),
        )
        self._may_be_gone = True
        self._join()
        self._tell(self.name, "ended", "")
        return int(process.returncode)

    def _require_open(self) -> None:
        if not self._is_open:
            raise UsageError(f"expected this within the `with` of {self.name}, saw it outside")

    def _require_running(self, what: str) -> None:
        self._require_open()
        self.is_well()
        if not self.is_running:
            raise UsageError(f"expected {self.name} to live when it is {what}, saw it gone")

    # -- its end

    def _end(self) -> None:
        """Stop it, and kill what does not stop; raises what `is_well` does for one that is gone."""
        self._is_open = False
        if self._process is None:
            return
        try:
            if self.is_well() and self.is_running:
                self._may_be_gone = True
                self._terminate(left_s(STOP_TIMEOUT_S))
        except DeadlineError:
            self._tell(self.name, "killed", "")
        finally:
            self._kill(family(self.pid))
            self._join()

    def _terminate(self, timeout_s: float) -> None:
        """Whatever it has started and left behind is killed."""
        process, everybody = self._process, family(self.pid)
        if process is None:
            return
        self._tell(self.name, "stopping", "")
        process.send_signal(signal.SIGTERM)
        wait_until(
            lambda: process.poll() is not None,
            f"{self.name} to end",
            timeout_s,
            look=str(self.log),
        )
        self._kill(everybody[1:])
        self._join()
        self._tell(self.name, "ended", "")

    def _kill(self, everybody: Sequence[int]) -> None:
        """These processes, and wait for our own."""
        for each in everybody:
            if each != self.pid or self.is_running:
                with suppress(ProcessLookupError):
                    os.kill(each, signal.SIGKILL)
        if self.pid in everybody and self._process is not None:
            self._process.wait()

    def _join(self) -> None:
        """What it printed last may not have been read yet; who it started may print on."""
        for reader in self._readers:
            reader.join(left_s(HEARD_TIMEOUT_S))
        self._readers = [each for each in self._readers if each.is_alive()]

    def _read(self, printed: IO[bytes]) -> None:
        with printed, self.log.open("ab", buffering=0) as log:
            for line in printed:
                log.write(line)
                text = line.decode(errors="replace").rstrip("\r\n")
                self._told += 1
                if self._told <= TOLD_LINES:
                    self._tell(self.name, "said", text[:LONGEST_LINE])
                elif self._told == TOLD_LINES + 1:
                    more = f"it prints more: see client-logs/{self.log.name} of the run"
                    self._tell(self.name, "said", more)


def _object(line: str) -> Any:
    if not line.startswith("{"):
        return None
    with suppress(json.JSONDecodeError):
        return json.loads(line)
    return None
