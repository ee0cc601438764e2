"""An idempotent producer by hand: what it sends again, when it goes on, and what is a finding."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import cast

import pytest
from kafka.record import MemoryRecords

from highwater.exploration import numbered
from highwater.exploration.numbered import Numbered
from highwater.harness.errors import ENVIRONMENT
from highwater.harness.model import Outcome, TopicPartition
from highwater.harness.play import Play
from highwater.harness.probes.transactions import Identity
from highwater.harness.probes.wire import Wire
from highwater.harness.versions.catalogue import find_kafka

WHERE = TopicPartition("orders")
DUPLICATE, OUT_OF_ORDER, NOT_LEADER, NOT_ENOUGH, UNKNOWN = 46, 45, 6, 19, 59


class Sent:
    """What became of the values of one batch."""

    def __init__(self, values: range) -> None:
        self.values = values
        self.acknowledged_at: dict[int, int] = {}
        self.unknown: dict[int, str] = {}

    def invoke(self, values: range, _checksums: list[int]) -> None:
        assert values == self.values

    def acknowledged(self, value: int, offset: int) -> None:
        self.acknowledged_at[value] = offset

    def ended(self, value: int, outcome: Outcome, told: str) -> None:
        assert outcome is Outcome.UNKNOWN
        self.unknown[value] = told


class Brokers:
    """Answers are put in by tests; whoever asks waits for them."""

    def __init__(self, leader: int = 1) -> None:
        self.leader = leader
        self.asked: queue.Queue[tuple[str, bytes]] = queue.Queue()
        self.answers: queue.Queue[tuple[int, int] | Exception] = queue.Queue()
        self.sends: list[Sent] = []
        self.ids = iter(range(7, 99))
        self.of_others = {*threading.enumerate()}

    def ask(self, address: str, body: bytes) -> tuple[int, int]:
        self.asked.put((address, body))
        try:
            answer = self.answers.get(timeout=5)
        except queue.Empty:  # the test is over
            raise EOFError from None
        if isinstance(answer, Exception):
            raise answer
        return answer

    def was_asked(self) -> tuple[str, int, int]:
        """The address, the producer id, and the number of the first record."""
        address, body = self.asked.get(timeout=5)
        content = body[body.index(b"orders") + len(b"orders") + 12 :]
        batch = MemoryRecords(content).next_batch()
        assert batch is not None
        return address, batch.producer_id, batch.base_sequence

    def sending(self, _client: str, _where: TopicPartition, _acks: str, values: range) -> Sent:
        self.sends.append(Sent(values))
        return self.sends[-1]

    def play(self) -> Play:
        first = iter(range(0, 10_000, 100))

        def values(_where: TopicPartition, count: int) -> range:
            begin = next(first)
            return range(begin, begin + count)

        history = SimpleNamespace(promised=lambda *_, **__: None, sends=self.sending)
        cluster = SimpleNamespace(
            brokers=(1, 2, 3),
            kafka=find_kafka("2.8.2"),
            nodes=SimpleNamespace(running=lambda _broker: True),
            address=lambda broker: f"of {broker}",
            metadata=SimpleNamespace(partition=lambda _where: SimpleNamespace(leader=self.leader)),
        )
        record = SimpleNamespace(history=history)
        scene = SimpleNamespace(identities=values)
        return cast("Play", SimpleNamespace(
            cluster=cluster, record=record, scene=scene, note=lambda _text: None
        ))  # fmt: skip


@pytest.fixture
def brokers(monkeypatch: pytest.MonkeyPatch) -> Brokers:
    found = Brokers()

    @contextmanager
    def connected(_wire: object) -> Iterator[None]:
        yield None

    monkeypatch.setattr(numbered, "closing", connected)
    monkeypatch.setattr(Wire, "at", lambda _address, _patience_s: None)
    monkeypatch.setattr(numbered, "begin_idempotent", lambda _wire: Identity(next(found.ids), 0))
    return found


def a_producer(brokers: Brokers) -> Numbered:
    return Numbered(brokers.play(), WHERE, 1, brokers.ask)


def ends(producer: Numbered, brokers: Brokers, answer: tuple[int, int] | Exception) -> None:
    """Somebody is asked, answers so, and its thread is done."""
    asked = {each for each in threading.enumerate() if each.name == producer.name}
    brokers.answers.put(answer)
    for each in asked - brokers.of_others:
        each.join(5)


def test_what_was_not_answered_is_sent_again_under_its_number_to_who_leads_by_then(
    brokers: Brokers,
) -> None:
    producer = a_producer(brokers)
    producer.send(3)
    assert brokers.was_asked() == ("of 1", 7, 0)
    ends(producer, brokers, EOFError("the connection ended"))
    assert producer.waits

    brokers.leader = 2
    producer.again()
    assert brokers.was_asked() == ("of 2", 7, 0)
    ends(producer, brokers, (0, 40))

    assert brokers.sends[0].acknowledged_at == {0: 40, 1: 41, 2: 42}
    assert not producer.waits
    producer.send(1)
    assert brokers.was_asked() == ("of 2", 7, 3)


@pytest.mark.parametrize("code", [NOT_LEADER, NOT_ENOUGH])
def test_an_answer_after_which_a_library_asks_again_ends_nothing(
    brokers: Brokers, code: int
) -> None:
    producer = a_producer(brokers)
    producer.send(1)
    ends(producer, brokers, (code, -1))

    assert producer.waits
    assert not brokers.sends[0].unknown


@pytest.mark.parametrize("code", [OUT_OF_ORDER, UNKNOWN])
def test_who_is_out_of_order_gives_up_and_goes_on_as_another(brokers: Brokers, code: int) -> None:
    producer = a_producer(brokers)
    producer.send(2)
    brokers.was_asked()
    ends(producer, brokers, (code, -1))

    assert [*brokers.sends[0].unknown] == [0, 1]
    assert not producer.batches[0].acked
    producer.send(1)
    assert brokers.was_asked() == ("of 1", 8, 0)


def test_what_is_there_already_is_acknowledged_without_an_offset(brokers: Brokers) -> None:
    producer = a_producer(brokers)
    producer.send(1)
    ends(producer, brokers, (DUPLICATE, -1))

    assert brokers.sends[0].acknowledged_at == {0: -1}
    assert producer.batches[0].acked == range(1)


def test_a_late_request_is_for_who_led_then_and_says_nothing_of_what_is_acknowledged(
    brokers: Brokers,
) -> None:
    producer = a_producer(brokers)
    producer.send(1, is_late=True)
    assert (brokers.asked.empty(), str(producer)) == (True, "idempotent waits late")
    brokers.leader = 3
    producer.again()
    assert brokers.was_asked() == ("of 3", 7, 0)
    ends(producer, brokers, (0, 5))
    assert str(producer) == "idempotent too late"

    producer.arrive()
    assert brokers.was_asked() == ("of 1", 7, 0)
    ends(producer, brokers, (OUT_OF_ORDER, -1))

    assert brokers.sends[0].acknowledged_at == {0: 5}
    assert not brokers.sends[0].unknown
    assert str(producer) == "idempotent"


def test_in_the_end_it_asks_once_more_and_what_is_late_is_lost(brokers: Brokers) -> None:
    producer = a_producer(brokers)
    producer.send(1, is_late=True)
    producer.settle()

    assert brokers.was_asked() == ("of 1", 7, 0)
    ends(producer, brokers, (0, 0))
    producer.settle()
    assert brokers.asked.empty()
    assert producer.late is None


def test_one_that_is_refused_for_the_moment_is_asked_until_it_is_not(brokers: Brokers) -> None:
    """Brokers join the ISR one after the other: and not while a request is under way."""
    producer = a_producer(brokers)
    producer.send(1)
    ends(producer, brokers, (NOT_ENOUGH, -1))
    brokers.was_asked()

    producer.settle()
    producer.settle()
    brokers.was_asked()
    assert brokers.asked.empty()
    ends(producer, brokers, (NOT_ENOUGH, -1))
    producer.settle()
    brokers.was_asked()
    ends(producer, brokers, (0, 9))

    assert brokers.sends[0].acknowledged_at == {0: 9}


def test_where_no_broker_runs_nobody_can_be_asked_and_the_search_goes_on(
    brokers: Brokers, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(_wire: object) -> Identity:
        raise ConnectionRefusedError

    monkeypatch.setattr(numbered, "begin_idempotent", refused)
    play = brokers.play()
    monkeypatch.setattr(play.cluster.nodes, "running", lambda _broker: False)

    with pytest.raises(ENVIRONMENT):
        Numbered(play, WHERE, 1, brokers.ask).send(1)
