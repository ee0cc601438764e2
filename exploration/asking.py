"""Asks whoever coordinates a transactional id or a group, and again where it is not ready."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from typing import TypeVar

from highwater.harness.cluster import Cluster
from highwater.harness.errors import ENVIRONMENT, DeadlineError
from highwater.harness.gate.messages.errors import NAMES
from highwater.harness.probes.transacting import find_transaction_coordinator
from highwater.harness.probes.wire import AnswerError, Wire
from highwater.harness.wait import wait_until

T = TypeVar("T")
PATIENCE_S = 3.0
AGAIN_S = 0.05
NOT_NOW = frozenset(
    {
        "CONCURRENT_TRANSACTIONS", "COORDINATOR_LOAD_IN_PROGRESS", "COORDINATOR_NOT_AVAILABLE",
        "NOT_COORDINATOR", "UNSTABLE_OFFSET_COMMIT",
    }
)  # fmt: skip


@dataclass(slots=True)
class Asking:
    """Of one id, whose coordinator is found by `find`.

    `refused` is the name of the error it was last answered with.
    """

    cluster: Cluster
    named: str
    refused: str = ""
    find: Callable[[Wire, str], int] = find_transaction_coordinator

    def is_coordinated(self) -> bool:
        """Somebody does; who asks first has the topic of coordinators created."""
        try:
            self.coordinator(lambda wire: self.find(wire, self.named))
        except ENVIRONMENT:
            return False
        return True

    def coordinator(self, question: Callable[[Wire], T]) -> T:
        """Raises AnswerError for what is refused for good, or for PATIENCE_S; OSError."""
        self.refused = ""

        def ask() -> T:
            with closing(self._wire(self._somebody())) as wire:
                coordinator = self.find(wire, self.named)
            with closing(self._wire(coordinator)) as wire:
                return question(wire)

        try:
            found = patiently(ask)
        except AnswerError as error:
            self.refused = NAMES.get(error.code, str(error.code))
            raise
        return found

    def _wire(self, broker: int) -> Wire:
        return Wire.at(self.cluster.address(broker), PATIENCE_S)

    def _somebody(self) -> int:
        """Whoever runs; all tell who coordinates."""
        cluster = self.cluster
        running = (each for each in cluster.brokers if cluster.nodes.running(each))
        return next(running, cluster.brokers[0])


def patiently(ask: Callable[[], T]) -> T:
    """Ask again while the answer is "not now", for PATIENCE_S; then that one is raised.

    Whatever else `ask` raises is raised at once: a broker that has not answered may have done what
    it was asked, and a record that is sent twice is no finding.
    """
    found: list[T] = []
    raised: list[Exception] = []

    def is_over() -> bool:
        try:
            found.append(ask())
        except ENVIRONMENT as error:  # for `wait_until` most of these would be "not yet"
            raised.append(error)
            return not is_not_now(error)
        return True

    with suppress(DeadlineError):
        wait_until(is_over, "an answer that is not `not now`", PATIENCE_S, interval_s=AGAIN_S)
    if found:
        return found[0]
    raise raised[-1]


def is_not_now(error: Exception) -> bool:
    """Whether a broker has answered that it has done nothing yet, and may be asked again."""
    return isinstance(error, AnswerError) and NAMES.get(error.code) in NOT_NOW
