"""Metadata of a cluster with ZooKeeper, of which nobody can ask but brokers."""

from __future__ import annotations

from highwater.harness.errors import PreconditionError
from highwater.harness.metadata.changes import Answer, Change
from highwater.harness.metadata.kraft import KRaftMetadata
from highwater.harness.probes.wire import AnswerError
from highwater.harness.wait import wait_until

PATIENCE_S = 60.0  # a session of ZooKeeper's has to end before another broker is the controller
NOT_CONTROLLER = 41


class ControlledMetadata(KRaftMetadata):
    """As a cluster with KRaft is asked and changed, but that one broker takes the changes.

    The controller is a broker; others do not hand on what it is asked, and for a while they name
    one that is the controller no more. From 2.8 on, where it gives topics ids.
    """

    def fail_over_controller(self) -> int:
        """Raises PreconditionError: that is done in ZooKeeper, which is out of reach."""
        raise PreconditionError(
            "the controller of this cluster is moved in ZooKeeper, which no address of a broker "
            "leads to; delete its znode /controller yourself"
        )

    def _ask(self, change: Change) -> Answer:
        """The answer of the controller; one that has died, or is none any more, is named a while.

        Raises DeadlineError with what was seen last.
        """

        def answer() -> tuple[Answer]:
            told = change.ask(self._wires[self._controller()])
            if any(code == NOT_CONTROLLER for code, _ in told.codes):
                raise AnswerError(change.what, NOT_CONTROLLER)  # for `wait_until` that is "not yet"
            return (told,)

        what = f"the controller to answer api {change.api_key}"
        return wait_until(answer, what, change.within(PATIENCE_S))[0]

    def _controller(self) -> int:
        return self._first(lambda broker: self._probes[broker].metadata().controller_id)
