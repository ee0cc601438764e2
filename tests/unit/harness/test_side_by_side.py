"""Asking several brokers at once: one that is frozen holds up nobody but itself."""

from __future__ import annotations

import socket
import threading
import time
from functools import partial
from types import SimpleNamespace
from typing import Any, cast

import pytest

from highwater.harness import patience
from highwater.harness.metadata.kraft import KRaftMetadata
from highwater.harness.model import TopicPartition
from highwater.harness.probes.replicas import ReplicaProbe
from highwater.harness.probes.wire import Wire
from highwater.harness.side_by_side import SideBySide
from highwater.harness.versions.catalogue import find_kafka
from highwater.harness.wait import wait_until

WHERE = TopicPartition("orders")


def test_who_is_silent_is_hardly_waited_for_until_it_has_answered() -> None:
    may_answer = threading.Event()
    asked = SideBySide("test")
    questions = {1: lambda: "one", 2: lambda: may_answer.wait(60)}

    first = asked.ask(questions, patience_s=0.05)
    second = asked.ask(questions, patience_s=3600)

    assert [list(first), list(second)] == [[1], [1]]
    assert asked.is_silent(2)
    may_answer.set()
    wait_until(lambda: asked.begin(2, lambda: None), "the old question to be answered", 10)
    wait_until(lambda: not asked.is_silent(2), "an answer in time", 10)
    asked.close()


def test_a_frozen_broker_of_a_kraft_cluster_keeps_nobody_from_asking_the_others() -> None:
    with socket.socket() as frozen:
        frozen.bind(("127.0.0.1", 0))
        frozen.listen()  # as SIGSTOP leaves it: the kernel accepts, and nobody answers
        wire = Wire("127.0.0.1", frozen.getsockname()[1], timeout_s=3600)
        metadata = KRaftMetadata({}, {2: ReplicaProbe(find_kafka("4.1.1"), wire)})

        for _ in range(3):  # any of them would outlast the test's time limit
            with pytest.raises(LookupError, match="no live broker knows orders-0"):
                metadata.partition(WHERE)

        metadata.close()


def test_who_is_told_to_end_asks_nobody_for_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    state = patience._State(ends_s=time.monotonic())
    monkeypatch.setattr(patience, "_state", state)
    with socket.socket() as frozen:
        frozen.bind(("127.0.0.1", 0))
        frozen.listen()
        wire = Wire("127.0.0.1", frozen.getsockname()[1], timeout_s=3600)

        with pytest.raises(TimeoutError):  # in its time limit
            wire.ask(3, 1, b"")


def test_a_name_is_not_free_while_any_broker_knows_a_topic_of_it() -> None:
    unknown, silent = SimpleNamespace(topic_errors={"orders": 3}), OSError("nobody listens")

    def answered(answer: object, _topic: str) -> object:
        if isinstance(answer, OSError):
            raise answer
        return answer

    def free(*answers: object) -> bool:
        probes = {
            broker: SimpleNamespace(metadata=partial(answered, answer))
            for broker, answer in enumerate(answers)
        }
        metadata = KRaftMetadata({}, cast("Any", probes))
        try:
            return metadata.is_free("orders")
        finally:
            metadata.close()

    assert free(unknown, silent, unknown)
    assert not free(unknown, SimpleNamespace(topic_errors={}))
