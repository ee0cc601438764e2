"""Commands of an operator's own that take a broker down and bring it back, where we can do neither.

What a command did is never believed: a broker that was to die has to be silent, and one that was to
come back has to answer. Whatever was taken down is brought back when the cluster is given back.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Never

from highwater.harness.cluster import KILLS, NODES, PAUSES
from highwater.harness.endings import end_all
from highwater.harness.errors import DeadlineError, PreconditionError, UsageError
from highwater.harness.versions.catalogue import Kafka
from highwater.harness.wait import wait_until

HOOK_TIMEOUT_S = 120.0
SILENT_TIMEOUT_S = 30.0
SERVING_TIMEOUT_S = 120.0
MISSED_TIMEOUT_S = 60.0
SHOWN = 300  # characters of what a command says

Address = tuple[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hooks:
    """Commands; {broker}, {host} and {port} in them stand for who is meant. "" is none."""

    kill: str = ""
    start: str = ""
    pause: str = ""
    resume: str = ""

    @property
    def has(self) -> frozenset[str]:
        """The capabilities that they give a cluster."""
        told = {KILLS: self.kill, PAUSES: self.pause}
        found = {name for name, command in told.items() if command}
        return frozenset({NODES, *found} if found else ())

    def require(self) -> None:
        """Raises UsageError for one that takes a broker down, where none brings it back."""
        for down, back in (("kill", "start"), ("pause", "resume")):
            if bool(getattr(self, down)) is not bool(getattr(self, back)):
                raise UsageError(f"--kafka-{down} and --kafka-{back} belong together: give both")
            for name in (down, back):
                told = getattr(self, name)
                if told and not _words(told, {}):
                    raise UsageError(f"--kafka-{name}: {told!r:.60} is no command")


class HookedNodes:
    """Brokers that somebody else runs, as far as his commands reach."""

    def __init__(
        self,
        kafka: Kafka,
        hooks: Hooks,
        places: Mapping[int, Address],
        answers: Callable[[int], bool],
        let_in: Callable[[int], bool] = lambda _broker: True,
    ) -> None:
        """`answers` asks a broker something, and says whether it answers and serves.

        `let_in` says whether it would be let in if it was started: where its last session with
        ZooKeeper is not over yet, it would be turned away, and end.
        """
        self.on_event: Callable[[int, str], None] | None = None
        self.voters: tuple[int, ...] = ()
        self.numbers = tuple(places)
        self._kafka = kafka
        self._hooks = hooks
        self._places = places
        self._answers = answers
        self._let_in = let_in
        self._down: set[int] = set()
        self._paused: set[int] = set()

    def kill(self, number: int) -> None:
        self._down.add(number)  # before, for a command that fails may have done it all the same
        self._take_down("kill", number)
        self._tell(number, "killed")

    def start(self, number: int) -> None:
        with suppress(DeadlineError):  # it is to be back all the same, and may have come by itself
            wait_until(
                lambda: self._let_in(number), f"broker {number} to be missed", MISSED_TIMEOUT_S
            )
        self._run("start", number)
        self._await_answers(number)
        self._down.discard(number)
        self._tell(number, "started")

    def pause(self, number: int) -> Mapping[str, Any]:
        """What was seen of it; its sockets may still be open."""
        self._paused.add(number)
        self._take_down("pause", number)
        self._tell(number, "paused")
        return {"answers": "none"}

    def resume(self, number: int) -> None:
        if number not in self._paused:
            return
        self._run("resume", number)
        self._await_answers(number)
        self._paused.discard(number)
        self._tell(number, "resumed")

    def running(self, number: int) -> bool:
        return number not in self._down

    def frozen(self, number: int) -> bool:
        return number in self._paused

    def runs(self, _number: int) -> Kafka:
        return self._kafka

    def await_serving(self, broker: int) -> None:
        self._await_answers(broker)
        self._tell(broker, "serving")

    def give_back(self) -> None:
        """Every broker as it was found."""
        paused, down = sorted(self._paused), sorted(self._down)
        end_all([
            *(partial(self.start, each) for each in down),
            *(partial(self.resume, each) for each in paused),
        ])  # fmt: skip

    def __getattr__(self, name: str) -> Never:
        raise UsageError(f"{name}: hooks can kill, start, pause and resume brokers, and no more")

    def __getitem__(self, number: int) -> Never:
        raise UsageError(f"broker {number} is no process of ours: hooks reach it, and nothing else")

    def _take_down(self, hook: str, number: int) -> None:
        self._run(hook, number)
        wait_until(
            lambda: not self._answers(number),
            f"broker {number} to be silent after --kafka-{hook}",
            SILENT_TIMEOUT_S,
            look=f"{getattr(self._hooks, hook)}",
        )

    def _await_answers(self, number: int) -> None:
        host, port = self._places[number]
        wait_until(
            lambda: self._answers(number),
            f"broker {number} to answer at {host}:{port} and to be registered",
            SERVING_TIMEOUT_S,
        )

    def _run(self, hook: str, number: int) -> None:
        """Raises PreconditionError where the command fails, and UsageError where there is none."""
        told: str = getattr(self._hooks, hook)
        if not told:
            raise UsageError(f"to {hook} a broker of this cluster needs a command: --kafka-{hook}")
        host, port = self._places[number]
        words = _words(told, {"{broker}": str(number), "{host}": host, "{port}": str(port)})
        with tempfile.TemporaryFile() as output:  # a pipe would end with what it leaves behind
            try:
                done = subprocess.run(
                    words,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=output,
                    env=os.environ.copy(),
                    timeout=HOOK_TIMEOUT_S,
                    check=False,
                    start_new_session=True,  # a broker that it starts is not to hear our Ctrl-C
                )
            except (OSError, subprocess.TimeoutExpired) as error:
                raise PreconditionError(f"--kafka-{hook}, {shlex.join(words)}: {error}") from error
            if done.returncode:
                output.seek(0)
                said = output.read().decode(errors="replace").strip()[-SHOWN:]
                raise PreconditionError(
                    f"--kafka-{hook}, {shlex.join(words)}, ended with {done.returncode}: {said}"
                )

    def _tell(self, number: int, event: str) -> None:
        if self.on_event is not None:
            self.on_event(number, event)


def _words(told: str, meant: Mapping[str, str]) -> list[str]:
    """Raises UsageError for what no shell could split."""
    if "\0" in told:
        raise UsageError(f"{told!r:.120} is no command: it has a NUL")
    try:
        words = shlex.split(told)
    except ValueError as error:
        raise UsageError(f"{told!r:.120} is no command: {error}") from error
    for name, value in meant.items():
        words = [word.replace(name, value) for word in words]
    return words
