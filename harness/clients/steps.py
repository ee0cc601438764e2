"""A client that does nothing by itself: it is told each step, and says what has come of it."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

from highwater.harness.clients.load import Heard
from highwater.harness.clients.process import END_TIMEOUT_S, ClientProcess, Event, Launch
from highwater.harness.errors import (
    DeadlineError,
    HighwaterError,
    InfrastructureError,
    PreconditionError,
    UsageError,
)
from highwater.harness.lifetime import Lifetime
from highwater.harness.wait import wait_until
from highwater.harness.workloads.transactions import AbortDemandedError

ANSWERS = ("done", "refused")
TURN_TIMEOUT_S = 30.0
INTERVAL_S = 0.002  # a step waits for its answer, and the play for the step
KINDS: dict[str, type[HighwaterError]] = {
    each.__name__: each
    for each in (
        AbortDemandedError,
        DeadlineError,
        InfrastructureError,
        PreconditionError,
        UsageError,
    )
}


def nobody(_client: str, _event: Event) -> None:
    """Does not listen."""


class Steps(Lifetime):
    """One such process; whoever listens is told all that it says, but for its answers."""

    def __init__(self, launch: Launch, heard: Heard = nobody) -> None:
        super().__init__()
        self.name: str = launch.order["client"]
        self.process = ClientProcess(launch, self._hear)
        self._heard = heard
        self._answers: dict[int, Event] = {}
        self._left: list[int] = []  # steps of which nobody waited for the answer
        self._numbers = itertools.count(1)

    def _begin(self) -> None:
        self._ending.enter_context(self.process)

    def begin(self, launch: Launch, heard: Heard) -> None:
        """Have one that belongs to no play record into this one, as if it had been launched so."""
        self.name, self.process.log, self._heard = launch.order["client"], launch.log, heard
        launch.log.parent.mkdir(parents=True, exist_ok=True)
        where = {"within": str(Path.cwd()), "log": str(launch.log)}  # paths may be parts of that
        require_done(self.ask("attach", TURN_TIMEOUT_S, **launch.order, **where))

    def end(self) -> None:
        """Its play is over: all is on the record."""
        require_done(self.ask("detach", END_TIMEOUT_S))
        self._heard(self.name, {"event": "ended"})
        self._heard = nobody

    def ask(self, do: str, timeout_s: float, **what: Any) -> Event:
        """Have it take a step, and return what it says of it: see `require_done`.

        What answers that nobody waited for say of records that were sent comes first in it.
        Raises UsageError for one that is gone, InfrastructureError for one that goes meanwhile,
        DeadlineError for one that does not answer.
        """
        if self.process.is_well() and self.process.why_over:
            raise UsageError(
                f"expected {self.name} to live when it is told to {do}, saw that "
                f"{self.process.why_over}"
            )
        step = next(self._numbers)
        self.process.tell({"do": do, "step": step, **what})
        try:
            answer = wait_until(
                lambda: self._answer(step, do),
                f"{self.name} to say what has come of {do!r}",
                timeout_s,
                interval_s=INTERVAL_S,
                look=str(self.process.log),
            )
        except BaseException:
            self._left.append(step)
            raise
        return {**answer, "sent": [*self._told_late(), *answer.get("sent", ())]}

    def _told_late(self) -> list[Any]:
        """It tells once how a record has ended: nobody would know but by these answers."""
        late = [each for each in self._left if each in self._answers]
        self._left = [each for each in self._left if each not in late]
        return [told for each in late for told in self._answers.pop(each).get("sent", ())]

    def _answer(self, step: int, do: str) -> Event:
        is_over = self.process.why_over if self.process.is_well() else ""
        answer = self._answers.pop(step, None)
        if answer is None and is_over:
            raise InfrastructureError(f"{self.name} was told to {do}, and {is_over}")
        return answer or {}

    def _hear(self, event: Event) -> None:
        if event["event"] in ANSWERS:
            self._answers[event["step"]] = event
        else:
            self._heard(self.name, event)


def require_done(answer: Event) -> None:
    """Raises what a step was refused by."""
    if answer["event"] == "refused":
        raise KINDS.get(answer["kind"], InfrastructureError)(answer["text"])
