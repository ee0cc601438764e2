"""Producers in processes of their own: what they tell of their sends, whoever asks, and when."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from highwater.harness.clients import producers
from highwater.harness.clients.process import CONFLUENT, Launch
from highwater.harness.clients.producers import Home, ToldProducer
from highwater.harness.clients.steps import Steps
from highwater.harness.errors import DeadlineError
from highwater.harness.model import TopicPartition
from highwater.harness.processes.warden import Warden
from highwater.harness.scene import Scene
from highwater.harness.workloads.payload import Values
from highwater.harness.workloads.producer import ProducerSettings

NOWHERE = "127.0.0.1:1"
WHERE = TopicPartition("orders", 0)
BRIEF = ProducerSettings(delivery_timeout_s=0.5, transaction_timeout_s=1.0)


@pytest.fixture
def scene() -> Any:
    values = Values()
    record = SimpleNamespace(history=SimpleNamespace(patterns={}))
    identities = lambda _where, count: values.take(count)  # noqa: E731
    return SimpleNamespace(waits=[], record=record, identities=identities)


@pytest.fixture
def steps(tmp_path: Path) -> Iterator[Steps]:
    place = {"directory": str(tmp_path), "origin_ns": 0, "number": 1}
    order = {"role": "steps", "client": "sender", "bootstrap": NOWHERE, "record": place}
    with Warden() as warden:
        launch = Launch(order, tmp_path / "sender.log", warden.group, CONFLUENT)
        with Steps(launch) as begun:
            yield begun


@pytest.fixture
def producer(scene: Any, steps: Steps) -> ToldProducer:
    """Of no brokers: all that it sends times out."""
    return ToldProducer(scene, Home(steps, NOWHERE, is_shared=True), "producer-1", BRIEF)


def test_an_answer_that_nobody_waited_for_is_learnt_from_the_next_one(
    producer: ToldProducer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with producer:
        sent = producer.send(WHERE, 2)
        with producer.paused(), monkeypatch.context() as patched:
            patched.setattr(producers, "MARGIN_S", -1.0)
            with pytest.raises(DeadlineError, match="to say what has come of 'flush'"):
                producer.flush()
        assert sent.waiting == 2

        producer.flush()

        assert (sent.waiting, sent.unknown) == (0, ["_MSG_TIMED_OUT"] * 2)
        assert producer.waiting("orders") == 0


def test_nobody_waits_for_a_frozen_one_to_say_what_it_waits_for(
    producer: ToldProducer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with producer:
        producer.send(WHERE, 2)
        with producer.paused(), monkeypatch.context() as patched:
            patched.setattr(producers, "MARGIN_S", -1.0)

            assert [producer.waiting(topic) for topic in ("orders", "others")] == [2, 0]


def test_whoever_asks_while_another_thread_closes_it_is_answered(
    producer: ToldProducer, steps: Steps
) -> None:
    """It is asked for its last outcomes then, and is no producer any more when they have come."""
    told: list[int] = []
    asked, ask = threading.Event(), steps.ask

    def asking(do: str, timeout_s: float, **what: Any) -> Any:
        if do == "close":
            asked.set()
        return ask(do, timeout_s, **what)

    def look() -> None:
        asked.wait(30)
        told.append(producer.waiting("orders"))

    steps.ask = asking  # type: ignore[method-assign]
    other = threading.Thread(target=look)
    other.start()
    with producer:
        producer.send(WHERE, 2)
    other.join()

    assert told == [0]


def test_each_producer_is_asked_when_one_of_them_ends_meanwhile() -> None:
    waits: list[Callable[[str], int]] = []

    def ends(_topic: str) -> int:
        waits.remove(ends)
        return 0

    waits += [ends, lambda _topic: 3]
    scene: Any = SimpleNamespace(
        waits=waits, record=SimpleNamespace(history=SimpleNamespace(waiting=lambda _topic: 0))
    )

    assert Scene.waiting(scene, "orders") == 3
