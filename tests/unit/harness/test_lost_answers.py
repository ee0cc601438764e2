"""A change was asked for, and its answer is lost: it may have been carried out all the same."""

from __future__ import annotations

import socket
import threading
import uuid
from collections.abc import Callable
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any, cast

import pytest

from highwater.harness.errors import DeadlineError, in_words
from highwater.harness.gate.headers import (
    ALTER_PARTITION_REASSIGNMENTS,
    CREATE_PARTITIONS,
    CREATE_TOPICS,
    DELETE_TOPICS,
    ELECT_LEADERS,
)
from highwater.harness.gate.metadata import KnownPartition
from highwater.harness.gate.primitives import Reader, Writer
from highwater.harness.metadata import changes, controlled, kraft
from highwater.harness.metadata.changes import UnknownOutcomeError
from highwater.harness.metadata.controlled import ControlledMetadata
from highwater.harness.metadata.kraft import KRaftMetadata
from highwater.harness.model import TopicPartition
from highwater.harness.probes import wire as wires
from highwater.harness.probes.wire import AnswerError, Wire, may_be_sent

WHERE = TopicPartition("orders")
INVALID_PARTITIONS, INVALID_REPLICA_ASSIGNMENT, NOT_CONTROLLER = 37, 39, 41
UNKNOWN_TOPIC, TOPIC_ALREADY_EXISTS, PREFERRED_LEADER_NOT_AVAILABLE = 3, 36, 80
REQUEST_TIMED_OUT, TOPIC_AUTHORIZATION_FAILED = 7, 29
LOST, REFUSED = ConnectionResetError("it died"), ConnectionRefusedError("nobody there")

Says = int | OSError
Change = Callable[[KRaftMetadata], None]
CREATE: Change = lambda metadata: metadata.create_topic("orders", [[1, 2]], {})  # noqa: E731
ADD: Change = lambda metadata: metadata.add_partitions("orders", 1, [[1, 2]])  # noqa: E731
DELETE: Change = lambda metadata: metadata.delete_topic("orders")  # noqa: E731
ELECT: Change = lambda metadata: metadata.elect_preferred(WHERE)  # noqa: E731
REASSIGN: Change = lambda metadata: metadata.begin_reassignment(WHERE, (2, 1))  # noqa: E731


class Controller:
    """A broker that says these one after the other, the last for ever; what it has is `replicas`
    of each partition, led by `leader`.
    """

    def __init__(self, *says: Says, replicas: tuple[tuple[int, ...], ...] = (), leader: int = 1):
        self._says = list(says)
        self.known = tuple(
            KnownPartition("orders", number, 0, leader, 3, each, each)
            for number, each in enumerate(replicas)
        )

    def ask(self, api_key: int, _version: int, _body: bytes, _timeout_s: float) -> Reader:
        said = self._says.pop(0) if len(self._says) > 1 else self._says[0]
        if isinstance(said, OSError):
            raise said
        is_flexible = api_key in {CREATE_TOPICS, ALTER_PARTITION_REASSIGNMENTS}
        answer = Writer(is_flexible)
        answer.int32(0)  # throttle time
        if api_key in {ELECT_LEADERS, ALTER_PARTITION_REASSIGNMENTS}:
            answer.int16(said)
            if is_flexible:
                answer.nullable_string(None)
            answer.array((), answer.int32)
        else:
            answer.array((WHERE.topic,), lambda name: _of_topic(answer, api_key, name, said))
        answer.tags()
        return Reader(bytes(answer.buffer), 0, answer.flexible)

    def metadata(self, *_topics: str) -> Any:
        return SimpleNamespace(controller_id=1, topic_errors={} if self.known else {"orders": 3})

    def partitions(self, _topic: str) -> tuple[KnownPartition, ...]:
        return self.known


def _of_topic(answer: Writer, api_key: int, name: str, code: int) -> None:
    answer.nullable_string(name)
    if api_key == CREATE_TOPICS:
        answer.uuid(uuid.UUID(int=0))
    answer.int16(code)
    if api_key in {CREATE_TOPICS, CREATE_PARTITIONS}:
        answer.nullable_string("so it is")
    answer.tags()
    assert api_key in {CREATE_TOPICS, CREATE_PARTITIONS, DELETE_TOPICS}


@pytest.fixture(params=[KRaftMetadata, ControlledMetadata], ids=["kraft", "controlled"])
def made(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Makes metadata of a cluster with this controller; nobody looks for long."""
    monkeypatch.setattr(changes, "LOOKED_S", 0.1)
    opened = []

    def make(broker: Controller) -> KRaftMetadata:
        opened.append(request.param(cast("Any", {1: broker}), cast("Any", {1: broker})))
        return cast("KRaftMetadata", opened[-1])

    yield make
    for each in opened:
        each.close()


Made = Callable[[Controller], KRaftMetadata]
TWO, MOVED = ((1, 2), (1, 2)), ((2, 1),)


@pytest.mark.parametrize(
    ("change", "code", "replicas"),
    [
        (CREATE, TOPIC_ALREADY_EXISTS, ((1, 2),)),
        (ADD, INVALID_PARTITIONS, TWO),
        (DELETE, UNKNOWN_TOPIC, ()),
        (ELECT, PREFERRED_LEADER_NOT_AVAILABLE, ((1, 2),)),
        (REASSIGN, INVALID_REPLICA_ASSIGNMENT, MOVED),
    ],
    ids=["create", "add", "delete", "elect", "reassign"],
)
def test_what_was_carried_out_is_no_error(
    made: Made, change: Change, code: int, replicas: tuple[tuple[int, ...], ...]
) -> None:
    change(made(Controller(LOST, code, replicas=replicas)))


CASES = [  # the change, what is said of it, which replicas there are, and what it is called
    (ADD, INVALID_PARTITIONS, ((1, 2),), "giving orders partitions"),
    (DELETE, TOPIC_AUTHORIZATION_FAILED, ((1, 2),), "deleting orders"),
    (ELECT, PREFERRED_LEADER_NOT_AVAILABLE, MOVED, "electing a leader of orders-0"),
    (REASSIGN, INVALID_REPLICA_ASSIGNMENT, ((1, 2),), "reassigning orders-0"),
]
Case = tuple[Change, int, Any, str]
each_case = pytest.mark.parametrize("case", CASES, ids=["add", "delete", "elect", "reassign"])


@each_case
def test_of_what_does_not_show_nobody_knows(made: Made, case: Case) -> None:
    change, code, replicas, what = case

    with pytest.raises(UnknownOutcomeError) as unknown:
        change(made(Controller(LOST, code, replicas=replicas)))

    said = str(unknown.value)
    assert said.startswith(f"nobody knows whether {what} has taken effect: it was sent, and ")
    assert "ConnectionResetError: it died" in said
    assert f"was answered with error {code}" in said


@pytest.mark.parametrize("before", [(), (REFUSED,)], ids=["at once", "at last"])
@each_case
def test_what_nobody_can_have_been_asked_before_is_refused(
    made: Made, case: Case, before: tuple[OSError, ...]
) -> None:
    change, code, replicas, what = case

    with pytest.raises(AnswerError, match=f"^{what} was answered with error {code}"):
        change(made(Controller(*before, code, replicas=replicas)))


@pytest.mark.parametrize(
    ("lost", "replicas", "error"),
    [
        (LOST, ((1, 2),), None),
        (LOST, (), UnknownOutcomeError),
        (REFUSED, (), DeadlineError),
    ],
    ids=["it is there", "it is not there", "nobody was asked"],
)
def test_where_no_answer_comes_at_all_it_is_looked_for(
    made: Made, monkeypatch: pytest.MonkeyPatch, lost: OSError, replicas: Any, error: Any
) -> None:
    monkeypatch.setattr(controlled, "PATIENCE_S", 0.1)
    monkeypatch.setattr(kraft, "ANSWERED_S", 0.1)
    metadata = made(Controller(lost, replicas=replicas))

    with nullcontext() if error is None else pytest.raises(error) as raised:
        CREATE(metadata)

    assert raised is None or type(raised.value) is error


class Hidden(Controller):
    """It has the topic, and who asks may not see it."""

    def metadata(self, *_topics: str) -> Any:
        return SimpleNamespace(controller_id=1, topic_errors={"orders": TOPIC_AUTHORIZATION_FAILED})


def test_a_topic_that_may_not_be_seen_is_not_taken_for_deleted(made: Made) -> None:
    with pytest.raises(UnknownOutcomeError):
        DELETE(made(Hidden(LOST, TOPIC_AUTHORIZATION_FAILED, replicas=((1, 2),))))


@pytest.mark.parametrize("replicas", [((1, 2),), ()], ids=["made", "not seen"])
def test_what_a_broker_no_longer_waits_for_is_not_refused(
    made: Made, replicas: tuple[tuple[int, ...], ...]
) -> None:
    metadata = made(Controller(REQUEST_TIMED_OUT, replicas=replicas))

    with nullcontext() if replicas else pytest.raises(UnknownOutcomeError):
        CREATE(metadata)


def test_a_topic_that_was_there_before_with_other_replicas_is_not_what_was_asked_for(
    made: Made,
) -> None:
    broker = Controller(LOST, TOPIC_ALREADY_EXISTS, replicas=((3, 4), (4, 3)))

    with pytest.raises(UnknownOutcomeError):
        CREATE(made(broker))


class Short(Controller):
    """What it answers is cut off."""

    def ask(self, *_asked: Any) -> Reader:
        return Reader(b"\0\0", 0, True)


def test_an_answer_that_cannot_be_read_is_as_lost_as_one_that_never_came(
    made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kraft, "ANSWERED_S", 0.1)
    monkeypatch.setattr(controlled, "PATIENCE_S", 0.1)

    with pytest.raises(UnknownOutcomeError, match="could not be read"):
        CREATE(made(Short(0)))


def test_who_is_the_controller_no_more_does_not_have_it_forgotten() -> None:
    for lost, is_done in (((LOST,), True), ((), False)):
        has = ((1, 2),) if is_done else ()
        broker: Any = {1: Controller(*lost, NOT_CONTROLLER, TOPIC_ALREADY_EXISTS, replicas=has)}
        metadata = ControlledMetadata(broker, broker)

        with nullcontext() if is_done else pytest.raises(AnswerError, match="ALREADY_EXISTS"):
            CREATE(metadata)

        metadata.close()


def test_a_broker_that_closes_may_have_what_it_was_asked() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        closing = threading.Thread(target=lambda: _read_and_close(server))
        closing.start()
        wire = Wire("127.0.0.1", server.getsockname()[1])
        with pytest.raises(OSError, match="closed") as lost:
            wire.ask(19, 7, b"")
        closing.join()

    assert may_be_sent(lost.value)


def _read_and_close(server: socket.socket) -> None:
    connection, _ = server.accept()
    connection.recv(1 << 16)
    connection.close()


def test_who_is_not_reached_has_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def opened(*_: Any) -> Any:
        raise TimeoutError("timed out")

    monkeypatch.setattr(wires, "opened", opened)
    with pytest.raises(TimeoutError) as lost:
        Wire("127.0.0.1", 1).ask(19, 7, b"")

    assert not may_be_sent(lost.value)
    assert in_words(lost.value) == "TimeoutError: timed out; nothing was sent"
