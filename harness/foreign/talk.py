"""A running adapter: its process, what it is told, and what it is heard to say."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import IO, Any

from highwater.harness.endings import end_all
from highwater.harness.errors import (
    DeadlineError,
    HighwaterError,
    InfrastructureError,
    in_words,
)
from highwater.harness.foreign.lines import BreachError, Event
from highwater.harness.foreign.rules import Rules
from highwater.harness.lifetime import Lifetime
from highwater.harness.processes.freezing import kill_family
from highwater.harness.processes.warden import Warden
from highwater.harness.wait import wait_until

START_TIMEOUT_S = 30.0
END_TIMEOUT_S = 5.0  # between its last line and its exit
SHOWN = 500  # characters of what a program that failed said
Hear = Callable[[Event], None]


class Talk(Lifetime):
    """With an adapter, which lives for the length of a `with`; killed if it does not end.

    `hear` is told every line that keeps to the rules, by the thread that reads them. `wrong` is
    of the first that did not, or of what `hear` raised; nothing is heard after that.
    """

    def __init__(
        self,
        command: Sequence[str],
        hear: Hear,
        errors: IO[bytes] | int | None = None,
        group: int | None = None,
    ) -> None:
        super().__init__()
        self._command = list(command)
        self._hear = hear
        self._errors = errors  # where its standard error goes; None: where ours does
        self._group = group  # of processes: see harness.processes.warden; None: ours
        self._is_over = threading.Event()
        self.wrong: HighwaterError | None = None

    def _begin(self) -> None:
        """Raises InfrastructureError for a program that cannot be started."""
        self.rules = Rules(time.monotonic_ns())
        try:
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                env=os.environ.copy(),
                process_group=self._group,
            )
        except OSError as error:
            shown = " ".join(self._command)
            raise InfrastructureError(f"the adapter {shown!r} does not start: {error}") from error
        self._reader = threading.Thread(target=self._read, name="adapter", daemon=True)
        self._reader.start()
        self._ending.callback(self._end)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def exit_code(self) -> int:
        """Of who has said its last; a signal's number below 0 where one has ended it."""
        return self._process.wait(END_TIMEOUT_S)

    @property
    def is_over(self) -> bool:
        """Whether it has said its last, or something wrong."""
        return self._is_over.is_set()

    def hello(self) -> Event:
        """Wait for its first line."""
        self.await_(lambda: self.rules.hello is not None, "say hello", START_TIMEOUT_S)
        return self.rules.hello or {}

    def await_(self, fact: Callable[[], bool], what: str, timeout_s: float) -> None:
        """Wait for something that it is to say; raises BreachError where it never will."""

        def known() -> bool:
            if fact():
                return True
            if self.is_over and not fact():
                raise self.wrong or BreachError(f"it to {what}", "ended")
            return False

        try:
            wait_until(known, f"the adapter to {what}", timeout_s)
        except DeadlineError as error:
            if self._process.poll() is not None:
                error.add_note("it has ended, and a process that it started holds its output open")
            raise

    def say(self, line: Mapping[str, Any]) -> None:
        """Waits while its pipe is full; who is gone hears nothing."""
        self.rules.say(line)
        self._write(json.dumps(line, separators=(",", ":")).encode() + b"\n")

    def produce(self, ids: range, line: Mapping[str, Any]) -> None:
        """Have it send records, whose identities these are."""
        self.rules.send(ids, time.monotonic_ns())
        self.say({"do": "produce", "first": ids.start, **line})

    def give_up(self, why: str) -> None:
        """Have it do nothing more: what it answered allows nothing else, though it did not say."""
        self.rules.fatal = self.rules.fatal or why

    def close(self) -> None:
        """The end of its standard input."""
        self.rules.close()
        if self._process.stdin is not None:
            with suppress(BrokenPipeError):
                self._process.stdin.close()

    def awaits_end(self, timeout_s: float) -> bool:
        """Wait for it to say its last; says whether it has."""
        return self._is_over.wait(timeout_s)

    def kill(self) -> None:
        """SIGKILL to it and to what it has started: a script may be no more than a start."""
        if self._process.poll() is None:
            kill_family(self.pid)

    def _write(self, line: bytes) -> None:
        pipe = self._process.stdin
        if pipe is not None and not pipe.closed:
            with suppress(BrokenPipeError):
                pipe.write(line)
                pipe.flush()

    def _read(self) -> None:
        try:
            for line in self._process.stdout or ():
                if line.endswith(b"\n"):  # else it was cut short, as by a SIGKILL
                    self._hear(self.rules.hear(line, time.monotonic_ns()))
            self.rules.end(self._process.wait(END_TIMEOUT_S))
        except HighwaterError as error:
            self.wrong = error
        except subprocess.TimeoutExpired:
            self.wrong = BreachError(
                "it to exit after its last line", f"it for {END_TIMEOUT_S:g} s"
            )
        except Exception as error:  # noqa: BLE001 - else it would seem to have ended well
            self.wrong = InfrastructureError(f"what it said cannot be kept: {in_words(error)}")
            self.wrong.__cause__ = error
        finally:
            self._is_over.set()
            self._process.wait()  # else what it still says would fail, and be told as its error
            if self._process.stdout is not None:
                self._process.stdout.close()

    def _end(self) -> None:
        end_all([self.close, self._kill, self._await_reader])

    def _kill(self) -> None:
        if not self.wrong:
            self._is_over.wait(END_TIMEOUT_S)
        self.kill()
        self._process.wait()

    def _await_reader(self) -> None:
        """Its output ends with it, unless a process that it has started holds it open."""
        self._reader.join(END_TIMEOUT_S)


def describe(command: Sequence[str]) -> Event:
    """What an adapter says of itself, which it does before it hears anything."""
    with tempfile.TemporaryFile() as errors:
        try:
            return _described(command, errors)
        except InfrastructureError as error:
            errors.seek(0)
            said = errors.read().decode(errors="replace").strip()
            if said:
                error.add_note(f"its standard error ends with {said[-SHOWN:]!r}")
            raise


def _described(command: Sequence[str], errors: IO[bytes]) -> Event:
    with (
        Warden() as warden,  # for what it may leave behind
        Talk(command, lambda _event: None, errors, warden.group) as talk,
    ):
        hello = talk.hello()
        talk.close()
        talk.await_(lambda: talk.is_over, "end with its standard input", START_TIMEOUT_S)
        if talk.wrong is not None:
            raise talk.wrong
    return hello
