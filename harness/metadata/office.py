"""The controller's office in ZooKeeper mode: who has it, and how it changes hands."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from typing import Any

from highwater.harness.errors import DeadlineError
from highwater.harness.metadata.znodes import Znodes
from highwater.harness.wait import wait_until

CONTROLLER = "/controller"
ELECTION_TIMEOUT_S = 45  # and a controller that is never heard
HEARD_S = 15.0
VACANT_S = 1.0  # twice, while others may be frozen
NOBODY = -1
CHANCES = 8
LOOKS = 20
SEEN = nullcontext()  # of a vacancy that all brokers see


class Office:
    """Its terms end with the controller's znode; brokers that see that try to write another one.

    `heard_from` says whether every running broker names this one its controller; `alone` freezes
    all brokers but one.
    """

    def __init__(
        self,
        znodes: Znodes,
        heard_from: Callable[[int], bool],
        alone: Callable[[int], AbstractContextManager[object]],
    ) -> None:
        self._znodes, self._heard_from, self._alone = znodes, heard_from, alone

    @property
    def term(self) -> Any:
        """What is written of it now, which another term never has; None: it is vacant."""
        return self._znodes.read(CONTROLLER)

    def holder(self) -> int | None:
        """The broker that has it."""
        term = self.term
        return None if term is None else int(term["brokerid"])

    def end_term(self) -> None:
        self._znodes.delete(CONTROLLER)

    def await_heard(self) -> None:
        """Wait until somebody has it and every broker names that one, so many LOOKS in a row.

        A broker that goes by KRaft's controllers names any broker.
        """
        seen = 0

        def is_heard() -> bool:
            nonlocal seen
            now = self.holder()
            seen = seen + 1 if now is not None and self._heard_from(now) else 0
            return seen == LOOKS

        wait_until(is_heard, "every broker to hear from the controller", ELECTION_TIMEOUT_S)

    def fail_over(self) -> int:
        """End terms until another broker has it; returns which one."""
        before = self.holder()
        wait_until(
            lambda: self._next() not in {None, before},
            f"another controller than broker {before}",
            ELECTION_TIMEOUT_S,
        )
        after = self.holder()
        return NOBODY if after is None else after

    def move(self, to: int) -> None:
        """End terms until the office is that of `to`, and every broker names it.

        After so many CHANCES nobody else can take it: who hears last of a vacancy never wins (seen
        with 3.9.1, in 87 terms). Whoever is elected reads who is alive, and does not hear of who
        dies meanwhile (seen with 0.10.0.1: such a broker stayed in the ISR).
        """
        terms = itertools.count(1)

        def is_in_office() -> bool:
            if self.holder() != to:
                others = nullcontext() if next(terms) <= CHANCES else self._alone(to)
                if self._next(others) != to:
                    return False
            return self._heard_from(to)  # unless it has failed, and somebody else is elected

        wait_until(is_in_office, f"broker {to} to become the controller", ELECTION_TIMEOUT_S)

    def _next(self, others: AbstractContextManager[object] = SEEN) -> int | None:
        """End the term, and return the controller that is elected then.

        Not before every broker names the present one: a controller of 0.11.0.3 gets stuck when
        elections follow one another too quickly. One whose epoch is over when it begins is heard by
        nobody (seen with 0.10.0.1), and waited for no longer than HEARD_S. Brokers that have all
        lost an election to one whose znode is gone since may wait for one another (seen with
        2.8.2): a znode that is written and deleted triggers the election again.
        """
        with suppress(DeadlineError):
            told = "every broker to hear from the controller"
            wait_until(self._vacant_or_heard_from, told, HEARD_S)
        with others:
            self.end_term()
            if not self._is_taken():
                with suppress(FileExistsError):  # somebody has taken it after all
                    nobody = {"version": 1, "brokerid": NOBODY, "timestamp": "0"}
                    self._znodes.write(CONTROLLER, nobody)
                    self.end_term()
                self._is_taken()
        return self.holder()

    def _is_taken(self) -> bool:
        """Whether somebody takes it, within so many seconds."""
        with suppress(DeadlineError):
            wait_until(lambda: self.holder() is not None, "a controller", VACANT_S)
            return True
        return False

    def _vacant_or_heard_from(self) -> bool:
        """One that fails in its election hands the office on unheard (seen with 3.9.1)."""
        now = self.holder()
        return now is None or self._heard_from(now)
