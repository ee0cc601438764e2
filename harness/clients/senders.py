"""Processes that send for one play after the other: to start one takes as long as a short play."""

from __future__ import annotations

import atexit
import os
import threading
from contextlib import suppress
from pathlib import Path

from highwater.harness.clients.process import CONFLUENT, Launch
from highwater.harness.clients.steps import Steps
from highwater.harness.endings import Endings
from highwater.harness.errors import HighwaterError
from highwater.harness.processes.warden import Warden

IDLE = 2  # so many are kept, at most
NAME = "sender"


class Senders:
    """Of one harness, which they do not outlive; each belongs to one play at a time, or to none."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._ending = Endings()
        self._warden: Warden | None = None
        self._idle: list[Steps] = []

    def take(self) -> Steps:
        """One that belongs to no play; it is started if there is none."""
        with self._lock:
            while self._idle:
                steps = self._idle.pop()
                if _lives(steps):
                    return steps
            if self._warden is None:
                self._warden = self._ending.enter_context(Warden())
            group = self._warden.group
        order = {"role": "steps", "client": NAME}
        steps = Steps(Launch(order, Path(os.devnull), group, CONFLUENT))
        return steps.__enter__()

    def give(self, steps: Steps) -> None:
        """Its play is over, and it is well."""
        with self._lock:
            if len(self._idle) < IDLE:
                self._idle.append(steps)
                return
        steps.__exit__(None, None, None)

    def close(self) -> None:
        """All that belong to no play end at once, and who watches over them."""
        with self._lock:
            left, self._idle, self._warden = self._idle, [], None
        for steps in left:
            end_at_once(steps)
        self._ending.close()


def end_at_once(steps: Steps) -> None:
    """Of what it has not recorded yet its journal tells."""
    with suppress(HighwaterError):
        steps.process.kill()
    with suppress(HighwaterError):
        steps.__exit__(None, None, None)


def _lives(steps: Steps) -> bool:
    """Whether one that was idle may be asked for more; ends it where it may not."""
    try:
        return steps.process.is_well()
    except HighwaterError:
        end_at_once(steps)
        return False


senders = Senders()  # of this process
atexit.register(senders.close)
