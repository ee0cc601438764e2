"""Metadata of a cluster with ZooKeeper, of which nobody can ask but brokers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from highwater.harness.errors import PreconditionError
from highwater.harness.gate.primitives import Reader, Writer
from highwater.harness.metadata.kraft import KRaftMetadata
from highwater.harness.model import TopicPartition
from highwater.harness.probes.wire import AnswerError
from highwater.harness.wait import wait_until

PATIENCE_S = 60.0  # a session of ZooKeeper's has to end before another broker is the controller
NOT_CONTROLLER = 41


class ControlledMetadata(KRaftMetadata):
    """As a cluster with KRaft is asked and changed, but that one broker takes the changes.

    The controller is a broker; others do not hand on what it is asked, and for a while they name
    one that is the controller no more. From 2.8 on, where it gives topics ids.
    """

    def create_topic(
        self, topic: str, assignments: Sequence[Sequence[int]], settings: Mapping[str, str]
    ) -> None:
        _insist(partial(super().create_topic, topic, assignments, settings))

    def add_partitions(self, topic: str, first: int, assignments: Sequence[Sequence[int]]) -> None:
        _insist(partial(super().add_partitions, topic, first, assignments))

    def delete_topic(self, topic: str) -> None:
        _insist(partial(super().delete_topic, topic))

    def begin_reassignment(self, where: TopicPartition, replicas: Sequence[int]) -> None:
        _insist(partial(super().begin_reassignment, where, replicas))

    def elect_preferred(self, where: TopicPartition) -> None:
        _insist(partial(super().elect_preferred, where))

    def fail_over_controller(self) -> int:
        """Raises PreconditionError: that is done in ZooKeeper, which is out of reach."""
        raise PreconditionError(
            "the controller of this cluster is moved in ZooKeeper, which no address of a broker "
            "leads to; delete its znode /controller yourself"
        )

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


def _insist(change: Callable[[], None]) -> None:
    """Until whoever is asked is the controller; raises AnswerError for all else it refuses."""

    def tried() -> tuple[AnswerError | None]:
        try:
            change()
        except AnswerError as error:
            if error.code == NOT_CONTROLLER:
                raise  # which `wait_until` takes for "not yet"
            return (error,)
        return (None,)

    (refused,) = wait_until(tried, "a broker that is the controller", PATIENCE_S)
    if refused is not None:
        raise refused
