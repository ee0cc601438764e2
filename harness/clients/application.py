"""A program of the user's own: started with a cluster's address, killed, frozen, started again.

It speaks no protocol. What it prints is kept, and the first lines stand on the timeline; what it
did is judged by its topics, see `harness.clients.contract`.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from highwater.harness.broker_logs import log_end
from highwater.harness.clients.contract import Contract
from highwater.harness.clients.contracting import Contracting
from highwater.harness.clients.own_sends import OwnSends
from highwater.harness.clients.running import Begin, Packed, Running
from highwater.harness.clients.starting import Start
from highwater.harness.clients.terms import Terms
from highwater.harness.errors import DeadlineError, PreconditionError, UsageError
from highwater.harness.lifetime import Lifetime
from highwater.harness.patience import left_s
from highwater.harness.topic import Topic
from highwater.harness.wait import wait_until

STOP_TIMEOUT_S = 30.0
HEARD_TIMEOUT_S = 5.0
READ_INTERVAL_S = 0.1  # its whole log is read each time
TOLD_LINES = 200  # on the timeline; all are in its log
LONGEST_LINE = 400

Command = Sequence[str] | Packed  # the words of one of this machine, or a `Container`
Telling = Callable[[str, str, str], None]  # its name, what happened, and a line that it printed


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
        self._begin_one: Begin
        self._running: Running | None = None
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
        chosen = Terms() if terms is None else terms
        return self._contracting.contract(self.name, (inputs, into), chosen, self.is_well)

    def sends_to(self, into: Topic, terms: Terms | None = None) -> OwnSends:
        """What it sends to a topic by itself, and nobody else: what it says that was acknowledged
        is there, as the judge is asked at the end. `terms` have `each` and `identity` alone.

        Raises UsageError for what cannot be asked.
        """
        chosen = Terms() if terms is None else terms
        return self._contracting.own_sends(self.name, into, chosen)

    def _begin(self) -> None:
        self._start.log.parent.mkdir(parents=True, exist_ok=True)
        self._begin_one = self._ending.enter_context(self._start.housing())
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
        self._running = self._begin_one()
        self._may_be_gone = self._is_paused = False
        reader = threading.Thread(
            target=self._read, args=(self._running.output(),), name=self.name, daemon=True
        )
        self._tell(self.name, "started", "")  # before anything that it says
        reader.start()
        self._readers.append(reader)

    def kill(self) -> None:
        """SIGKILL, it and whatever it has started; returns when it is gone."""
        living = self._require_running("killed")
        self._may_be_gone = True
        living.kill()
        self._join()
        self._tell(self.name, "killed", "")

    @contextmanager
    def paused(self) -> Generator[None]:
        """Frozen, with whatever it has started, until the context is left."""
        living = self._require_running("paused")
        if self._is_paused:
            raise UsageError(f"expected {self.name} to run when it is paused, saw it frozen")
        self._is_paused = True
        try:
            living.freeze()
            self._tell(self.name, "paused", "")
            yield
        finally:
            self._thaw(living)

    def _thaw(self, living: Running) -> None:
        """Once, at the end of a pause, or of the application, where that comes first."""
        if not self._is_paused:
            return
        self._is_paused = False
        living.thaw()
        if self.is_running:
            self._tell(self.name, "resumed", "")

    def stop(self, timeout_s: float = STOP_TIMEOUT_S) -> None:
        """SIGTERM, as who operates it does; raises DeadlineError where it does not end in time."""
        living = self._require_running("stopped")
        self._may_be_gone = True
        self._terminate(living, timeout_s)

    def restart(self, timeout_s: float = STOP_TIMEOUT_S) -> None:
        """Stop it in order, and start it again."""
        self.stop(timeout_s)
        self.start()

    # -- what is known of it

    @property
    def pid(self) -> int:
        """Of its process; raises UsageError before it has been started."""
        return self._started.pid

    @property
    def is_running(self) -> bool:
        return self._running is not None and self._running.exit_code() is None

    @property
    def can_start(self) -> bool:
        """Whether it is gone, within its `with`."""
        return self._is_open and not self.is_running

    def is_well(self) -> bool:
        """True; raises PreconditionError for one that has ended by itself, with its last words."""
        code = self._started.exit_code()
        if code is not None and not self._may_be_gone:
            self._join()
            raise PreconditionError(
                f"{self.name} ended by itself (exit code {code}); the end of "
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
        living = self._started
        self._await_gone(living, timeout_s)
        self._may_be_gone = True
        self._join()
        self._tell(self.name, "ended", "")
        return int(living.exit_code() or 0)

    @property
    def _started(self) -> Running:
        if self._running is None:
            raise UsageError(f"{self.name} has not been started: expected `with` around its use")
        return self._running

    def _require_open(self) -> None:
        if not self._is_open:
            raise UsageError(f"expected this within the `with` of {self.name}, saw it outside")

    def _require_running(self, what: str) -> Running:
        self._require_open()
        self.is_well()
        if not self.is_running:
            raise UsageError(f"expected {self.name} to live when it is {what}, saw it gone")
        return self._started

    # -- its end

    def _end(self) -> None:
        """Stop it, and kill what does not stop; raises what `is_well` does for one that is gone."""
        self._is_open = False
        living = self._running
        if living is None:
            return
        try:
            if self.is_well() and self.is_running:
                self._thaw(living)
                self._may_be_gone = True
                self._terminate(living, left_s(STOP_TIMEOUT_S))
        except DeadlineError:
            self._tell(self.name, "killed", "")
        finally:
            living.kill()
            self._join()

    def _terminate(self, living: Running, timeout_s: float) -> None:
        """Whatever it has started and left behind is killed."""
        self._tell(self.name, "stopping", "")
        living.terminate()
        self._await_gone(living, timeout_s)
        living.kill()
        self._join()
        self._tell(self.name, "ended", "")

    def _await_gone(self, living: Running, timeout_s: float) -> None:
        wait_until(
            lambda: living.exit_code() is not None,
            f"{self.name} to end",
            timeout_s,
            look=str(self.log),
        )

    def _join(self) -> None:
        """What it printed last may not have been read yet; who it started may print on."""
        for reader in self._readers:
            reader.join(left_s(HEARD_TIMEOUT_S))
        self._readers = [each for each in self._readers if each.is_alive()]

    def _read(self, printed: Iterable[bytes]) -> None:
        with self.log.open("ab", buffering=0) as log:
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
    with suppress(ValueError, RecursionError):  # also of what is nested, or a number, too long
        return json.loads(line)
    return None
