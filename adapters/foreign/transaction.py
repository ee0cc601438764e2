"""Records of a transaction that is open, and what was said of each: all end when it does."""

from __future__ import annotations

import threading
from queue import SimpleQueue

from highwater.harness.foreign import outcomes
from highwater.harness.foreign.lines import Event
from highwater.harness.model import Outcome
from highwater.harness.record.sends import NO_OFFSET, Sends
from highwater.harness.workloads.tally import Tally


class Transaction:
    """One after the other, by their numbers; one thread sends and ends them, another one hears.

    What becomes of a record is what becomes of its transaction (docs/adr/0074). One of which the
    library told an error may not be in a transaction that it committed all the same.
    """

    def __init__(self, tally: Tally, *, sends_once: bool) -> None:
        self.number = 0  # of the last one that was begun
        self.answers = SimpleQueue[Event]()  # to its steps
        self._tally = tally
        self._sends_once = sends_once
        self._sends: list[Sends] = []
        self._lock = threading.Lock()  # of what follows
        self._offsets: dict[int, int] = {}  # by the values of records
        self._errors: dict[int, Event] = {}

    @property
    def has_failed(self) -> bool:
        """Whether a record of it has ended in an error, so that it is not to be committed."""
        return bool(self._errors)

    @property
    def has_landed(self) -> bool:
        """Whether something was said of each of its records."""
        with self._lock:
            sent = sum(len(sends.values) for sends in self._sends)
            return len(self._offsets.keys() | self._errors.keys()) >= sent

    def begin(self) -> None:
        self.number += 1

    def add(self, sends: Sends) -> None:
        """These are about to be sent in it."""
        sends.within(self.number)
        self._sends.append(sends)

    def hear(self, event: Event) -> None:
        """What was said of its records, and of itself."""
        with self._lock:
            match event["event"]:
                case "ok":
                    for value, offset, _ in event["records"]:
                        self._offsets[value] = NO_OFFSET if offset is None else offset
                case "error":
                    self._errors.update({value: event for value, _ in event["records"]})
                case "transaction":
                    self.answers.put(event)

    def end(self, outcome: Outcome, reason: str) -> None:
        """It has ended so; `reason` is told of records that were not acknowledged."""
        with self._lock:
            for sends in self._sends:
                for value in sends.values:
                    if outcome is not Outcome.OK:
                        self._fail(sends, value, outcome, reason)
                    elif value in self._errors:
                        error = self._errors[value]
                        told = outcomes.outcome_of(error, sends_once=self._sends_once)
                        self._fail(sends, value, told, outcomes.in_words(error))
                    else:
                        sends.acknowledged(value, self._offsets.get(value, NO_OFFSET))
                        self._tally.acked += 1
            self._sends.clear()
            self._offsets.clear()
            self._errors.clear()

    def _fail(self, sends: Sends, value: int, outcome: Outcome, reason: str) -> None:
        sends.ended(value, outcome, reason)
        self._tally.count(outcome)
