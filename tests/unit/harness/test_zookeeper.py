"""ZooKeeper that is frozen or refuses: nobody waits for ever, and nobody meets kazoo's errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from kazoo.exceptions import ConnectionLoss, NoAuthError, NodeExistsError
from kazoo.handlers.threading import SequentialThreadingHandler

from highwater.harness.errors import DeadlineError
from highwater.harness.metadata import znodes
from highwater.harness.metadata.zookeeper import ZooKeeperMetadata
from highwater.harness.model import Altered, PartitionState, TopicPartition

WHERE = TopicPartition("orders")

CALLS: dict[str, Callable[[ZooKeeperMetadata], object]] = {
    "registered": lambda metadata: metadata.registered(),
    "controller": lambda metadata: metadata.controller(),
    "create_topic": lambda metadata: metadata.create_topic("orders", [[1, 2]], {}),
    "has_topic": lambda metadata: metadata.has_topic("orders"),
    "is_free": lambda metadata: metadata.is_free("orders"),
    "topic_id": lambda metadata: metadata.topic_id("orders"),
    "delete_topic": lambda metadata: metadata.delete_topic("orders"),
    "partition": lambda metadata: metadata.partition(WHERE),
    "end_session": lambda metadata: metadata.end_session(1),
    "alter": lambda metadata: metadata.alter(Altered("topic", "orders"), {}),
}


class Client:
    """kazoo's client, whose every question has one answer, or none."""

    def __init__(self, error: Exception | None) -> None:
        self._error = error

    def __getattr__(self, name: str) -> Callable[..., Any]:
        assert name.endswith("_async"), f"{name} waits as long as ZooKeeper likes"

        def ask(*_arguments: object, **_options: object) -> Any:
            result = SequentialThreadingHandler().async_result()
            if self._error is not None:
                result.set_exception(self._error)
            return result

        return ask


def metadata_of(client: Any, monkeypatch: pytest.MonkeyPatch) -> ZooKeeperMetadata:
    monkeypatch.setattr(znodes, "ANSWER_TIMEOUT_S", 0.01)
    metadata = ZooKeeperMetadata(["127.0.0.1:1"], lambda _controller: True)
    monkeypatch.setattr(metadata._znodes, "_client", client)
    return metadata


@pytest.mark.parametrize("error", [None, ConnectionLoss(), NoAuthError()])
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_what_zookeeper_does_not_answer_is_an_error_of_the_environment(
    call: Callable[[ZooKeeperMetadata], object],
    error: Exception | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    metadata = metadata_of(Client(error), monkeypatch)

    with pytest.raises(OSError, match=r"ZooKeeper (does not answer|refuses)"):
        call(metadata)


def test_a_znode_that_is_there_already_is_no_error_of_kazoos(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    metadata = metadata_of(Client(NodeExistsError()), monkeypatch)

    with pytest.raises(FileExistsError, match="/config/topics/orders"):
        metadata.create_topic("orders", [[1]], {})


def test_a_client_that_does_not_end_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    class Stuck:
        def stop(self) -> None:
            SequentialThreadingHandler().event_object().wait(600)

    monkeypatch.setattr(znodes, "CLOSE_TIMEOUT_S", 0.01)
    metadata = metadata_of(Stuck(), monkeypatch)

    with pytest.raises(DeadlineError, match="ZooKeeper's client to end"):
        metadata.close()


class TakingOffice:
    """Znodes of a controller that clears the first election away unread."""

    def __init__(self) -> None:
        self.asked: list[Any] = []
        self.leader = 1

    def read(self, node: str) -> Any:
        assert node == "/controller"
        return {"brokerid": 2, "timestamp": "1"}

    def write(self, node: str, content: Any) -> None:
        assert node == "/admin/preferred_replica_election"
        self.asked.append(content["partitions"])
        if len(self.asked) > 1:
            self.leader = 3

    def exists(self, node: str) -> bool:
        assert node == "/admin/preferred_replica_election"
        return False


def test_a_controller_that_has_just_taken_office_is_asked_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    metadata = ZooKeeperMetadata(["127.0.0.1:1"], lambda _controller: True)
    office = TakingOffice()
    monkeypatch.setattr(metadata, "_znodes", office)
    monkeypatch.setattr(metadata._office, "_znodes", office)
    monkeypatch.setattr(
        metadata, "partition", lambda _where: PartitionState(office.leader, 1, (1, 3), (3, 1))
    )

    metadata.elect_preferred(WHERE)
    metadata.elect_preferred(WHERE)

    assert office.asked == [[{"topic": "orders", "partition": 0}]] * 3
    assert office.leader == 3
