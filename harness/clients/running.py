"""What an application is while it runs: a process of this machine, or whatever else says so."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from typing import Protocol, runtime_checkable

from highwater.harness.errors import PreconditionError
from highwater.harness.processes.freezing import family, freeze, thaw


class Running(Protocol):
    """One life of it, from its start."""

    @property
    def pid(self) -> int: ...
    def exit_code(self) -> int | None:
        """None as long as it runs."""

    def output(self) -> Iterable[bytes]:
        """What it prints, errors as well, as it comes; to be read once, to its end."""

    def terminate(self) -> None:
        """Tell it to end, in order."""

    def kill(self) -> None:
        """End it, if it has not ended, and whatever it has started; returns when it is gone."""

    def freeze(self) -> None: ...
    def thaw(self) -> None:
        """Whoever of it is frozen goes on; who has been killed meanwhile does not."""


Begin = Callable[[], Running]
Housing = Callable[[], AbstractContextManager[Begin]]  # for as long as it may be started


@runtime_checkable
class Packed(Protocol):
    """A program that is no command of this machine, such as `highwater.compose.Container`."""

    def housing(self, name: str, env: Mapping[str, str], bootstrap: str) -> Housing:
        """Where it will run; raises UsageError for what cannot be started, before it is."""


def process_of(words: Sequence[str], env: Mapping[str, str], group: int) -> Housing:
    """A process of this machine, of a group of processes: see `harness.processes.warden`."""

    @contextmanager
    def housed() -> Generator[Begin]:
        yield partial(Process, words, env, group)

    return housed


class Process:
    """A process, with what it has started."""

    def __init__(self, words: Sequence[str], env: Mapping[str, str], group: int) -> None:
        """Starts it; raises PreconditionError where that cannot be."""
        try:
            self._process = subprocess.Popen(
                list(words),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                env={**os.environ, **env},
                process_group=group,
            )
        except OSError as error:
            raise PreconditionError(f"{words[0]} cannot be started: {error}") from error
        self._others: list[int] = []  # whom it had started when it was told to end
        self._frozen: list[int] = []

    @property
    def pid(self) -> int:
        return self._process.pid

    def exit_code(self) -> int | None:
        return self._process.poll()

    def output(self) -> Generator[bytes]:
        """Line by line; who it has started may print on when it has ended."""
        if (printed := self._process.stdout) is not None:
            with printed:
                yield from printed

    def terminate(self) -> None:
        """SIGTERM; whatever it has started and left behind is for `kill`."""
        self._others = family(self.pid)[1:]
        self._process.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """SIGKILL."""
        for each in dict.fromkeys([*family(self.pid), *self._others]):
            if each != self.pid or self.exit_code() is None:
                with suppress(ProcessLookupError):
                    os.kill(each, signal.SIGKILL)
        self._others = []
        self._process.wait()

    def freeze(self) -> None:
        """SIGSTOP: who is stopped starts no more."""
        while new := [each for each in family(self.pid) if each not in self._frozen]:
            for each in new:
                self._frozen.append(each)
                freeze(each, f"process {each}")

    def thaw(self) -> None:
        """SIGCONT."""
        for each in reversed(self._frozen):
            with suppress(FileNotFoundError, ProcessLookupError):
                thaw(each, f"process {each}")
        self._frozen = []
