"""Metadata of a cluster with ZooKeeper, of which nobody can ask but brokers."""

from __future__ import annotations

from highwater.harness.errors import PreconditionError
from highwater.harness.gate.primitives import Reader, Writer
from highwater.harness.metadata.kraft import KRaftMetadata
from highwater.harness.wait import wait_until

PATIENCE_S = 60.0  # a session of ZooKeeper's has to end before another broker is the controller


class ControlledMetadata(KRaftMetadata):
    """As a cluster with KRaft is asked and changed, but that one broker takes the changes.

    The controller is a broker; others do not hand on what it is asked. From 2.8 on, where it gives
    topics ids.
    """

    def fail_over_controller(self) -> int:
        """Raises PreconditionError: that is done in ZooKeeper, which is out of reach."""
        raise PreconditionError("the controller of this cluster cannot be moved: see ZooKeeper")

    def _ask(
        self, api_key: int, version: int, body: Writer, lost: list[OSError] | None = None
    ) -> Reader:
        """The answer of the controller; one that has died is named for a while."""
        asked = bytes(body.buffer)

        def answer() -> Reader:
            try:
                return self._wires[self._controller()].ask(api_key, version, asked)
            except OSError as error:
                if lost is not None:
                    lost.append(error)
                raise

        return wait_until(answer, f"the controller to answer api {api_key}", PATIENCE_S)

    def _controller(self) -> int:
        return self._first(lambda broker: self._probes[broker].metadata().controller_id)
