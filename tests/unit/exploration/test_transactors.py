"""What a producer knows of its end, by what its coordinator answers; the coordinator is literal."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import cast

import pytest

from highwater.exploration.asking import Asking
from highwater.exploration.committers import Committer
from highwater.exploration.transactors import Standing, Transactor
from highwater.faults.targets import OFFSETS
from highwater.harness.model import TopicPartition
from highwater.harness.play import Play
from highwater.harness.probes.transactions import Identity
from highwater.harness.probes.wire import AnswerError
from highwater.harness.versions.catalogue import find_kafka

CONCURRENT, UNAVAILABLE = 51, 15


@dataclass
class Answers:
    """The same each time."""

    answer: Identity | Exception
    refused: str = ""

    def coordinator(self, _question: Callable[[object], Identity]) -> Identity:
        if isinstance(self.answer, Identity):
            return self.answer
        raise self.answer


def a_transactor(answer: Identity | Exception, refused: str = "") -> Transactor:
    history = SimpleNamespace(promised=lambda *_, **__: None)
    play = SimpleNamespace(
        cluster=SimpleNamespace(kafka=find_kafka("3.3.2")),
        record=SimpleNamespace(history=history),
        scene=SimpleNamespace(transacts=lambda _name: None),
        note=lambda _text: None,
    )
    producer = Transactor(cast("Play", play), TopicPartition("t"), 1)
    producer.asking = cast("Asking", Answers(answer, refused))
    return producer


@pytest.mark.parametrize(
    ("answer", "refused", "closed", "stuck"),
    [
        (Identity(7, 3), "", True, False),
        (AnswerError("beginning", CONCURRENT), "CONCURRENT_TRANSACTIONS", False, True),
        (AnswerError("beginning", UNAVAILABLE), "COORDINATOR_NOT_AVAILABLE", False, False),
        (TimeoutError("no answer"), "", False, False),
    ],
)
def test_a_producer_has_ended_when_the_next_one_has_begun(
    answer: Identity | Exception, refused: str, closed: bool, stuck: bool
) -> None:
    producer = a_transactor(answer, refused)

    producer.close(timeout_s=0.2)

    assert (producer.has_closed, producer.is_stuck) == (closed, stuck)


def test_one_that_is_refused_for_a_moment_has_ended_a_moment_later() -> None:
    producer = a_transactor(AnswerError("beginning", CONCURRENT))
    told: list[Identity | Exception] = [
        AnswerError("beginning", CONCURRENT),
        TimeoutError("no answer"),
        Identity(7, 4),
    ]

    class InTurn:
        """Of what it is asked each is answered with the next."""

        refused = ""

        def coordinator(self, _question: object) -> Identity:
            answer = told.pop(0)
            if isinstance(answer, Identity):
                return answer
            raise answer

    producer.asking = cast("Asking", InTurn())
    producer.close(timeout_s=5)

    assert (producer.has_closed, told, producer.standing) == (True, [], Standing.READY)


def test_of_one_whose_request_has_not_ended_nothing_is_asked() -> None:
    goes_on = threading.Event()
    producer = a_transactor(Identity(7, 3))

    class Waits:
        """Until it is told to go on."""

        refused = ""
        asked = 0

        def coordinator(self, _question: object) -> Identity:
            self.asked += 1
            goes_on.wait(5)
            return Identity(7, 3)

    producer.asking = cast("Asking", waits := Waits())
    producer.claim()
    producer.close(timeout_s=0.1)

    assert (producer.has_closed, producer.is_busy, waits.asked) == (False, True, 1)
    goes_on.set()


def test_one_that_could_not_begin_anew_sends_nothing_more() -> None:
    producer = a_transactor(TimeoutError("no answer"))
    producer.close(timeout_s=0.1)

    producer.unblock()

    assert (producer.standing, producer.cargo.values.sent) == (Standing.NEW, set())


def test_an_answer_that_does_not_come_is_no_refusal() -> None:
    asking = Asking(
        SimpleNamespace(  # nobody runs there
            brokers=(1,),
            nodes=SimpleNamespace(running=lambda _broker: True),
            address=lambda _broker: "127.0.0.1:1",
        ),
        "orders",
        refused="CONCURRENT_TRANSACTIONS",
    )

    with pytest.raises(OSError, match="refused"):
        asking.coordinator(lambda _wire: None)

    assert not asking.refused


def test_an_id_is_of_one_schedule_alone() -> None:
    """The log of positions is that of every schedule on a cluster, and so is its name."""
    told: list[str] = []
    play = SimpleNamespace(
        cluster=SimpleNamespace(kafka=find_kafka("3.3.2")),
        record=SimpleNamespace(history=SimpleNamespace(promised=lambda *_, **__: None)),
        scene=SimpleNamespace(transacts=told.append),
    )
    there = cast("Play", play)

    Transactor(there, TopicPartition("round-7"), 1)
    Transactor(there, OFFSETS, 2, Committer(there, TopicPartition("round-8"), 2))

    assert told == ["round-7-1", "round-8-2"]
