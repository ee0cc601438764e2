"""An idempotent producer by hand: what it sends again, when it goes on, and what is a finding."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any, cast

import pytest
from kafka.record import MemoryRecords

from highwater.exploration import numbered
from highwater.exploration.findings import finding_of
from highwater.exploration.ground import Ground
from highwater.exploration.numbered import Numbered
from highwater.exploration.numbering import Again, OnceArrives, OnceLate, SendOnce
from highwater.exploration.steps import Move
from highwater.exploration.views import Log, Promised, View, state_of
from highwater.harness.model import Outcome, PartitionState, TopicPartition
from highwater.harness.play import Play
from highwater.harness.probes.transactions import Identity
from highwater.harness.probes.wire import Wire
from highwater.harness.versions.catalogue import find_kafka

WHERE = TopicPartition("orders")
DUPLICATE, OUT_OF_ORDER, NOT_LEADER, UNKNOWN = 46, 45, 6, 59


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


@pytest.mark.parametrize("code", [NOT_LEADER, 7])
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


def a_view(*logs: Log, once: frozenset[int], standings: tuple[str, ...] = ()) -> View:
    brokers = range(1, len(logs) + 1)
    length = len(logs[0])
    return View(
        partition=PartitionState(1, 0, tuple(brokers), tuple(brokers)),
        ends=dict.fromkeys(brokers, length),
        marks=dict.fromkeys(brokers, length),
        logs=dict(zip(brokers, logs, strict=True)),
        promised=Promised(once=once, standings=standings),
    )


def test_what_is_there_twice_is_a_finding_where_it_was_sent_under_one_number() -> None:
    twice: Log = ((0, 5, 0), (1, 6, 0), (2, 5, 1))

    found = finding_of(a_view(twice, twice, once=frozenset({5, 6})))
    assert found.claims == ("duplicate",)
    assert found.told == "1 records are there twice, the first of them 5"
    assert finding_of(a_view(twice, twice, once=frozenset({6}))).claims == ()
    once: Log = ((0, 5, 0), (1, 6, 0))
    assert finding_of(a_view(once, once, once=frozenset({5, 6}))).claims == ()


def test_where_its_producers_stand_is_of_a_state() -> None:
    log: Log = ((0, 5, 0),)
    assert "idempotent waits" in state_of(
        a_view(log, once=frozenset({5}), standings=("idempotent waits",))
    )


class Ready:
    """A ground of which nothing is asked but who is there."""

    def __init__(self, kafka: str, producer: Any) -> None:
        self.kafka = find_kafka(kafka)
        self.down: dict[int, object] = {}
        self.frozen: list[int] = []
        self.plot = SimpleNamespace(idempotent={} if producer is None else {1: producer})


def stands(*, waits: bool, late: object = None) -> Any:
    return SimpleNamespace(waits=waits, late=late)


@pytest.mark.parametrize(
    ("move", "producer", "fits"),
    [
        (SendOnce(1, 1), None, True), (SendOnce(1, 1), stands(waits=True), False),
        (OnceLate(1), None, True), (OnceLate(1), stands(waits=False, late="it is"), False),
        (Again(1), None, False), (Again(1), stands(waits=True), True),
        (Again(1), stands(waits=False), False),
        (OnceArrives(1), stands(waits=False), False),
        (OnceArrives(1), stands(waits=False, late="it is"), True),
    ],
)  # fmt: skip
def test_a_move_fits_where_its_producer_may_do_it(move: Move, producer: Any, fits: bool) -> None:
    log: Log = ((0, 5, 0),)
    view = a_view(log, once=frozenset())

    assert move.fits(cast("Ground", Ready("2.8.2", producer)), view) is fits
    assert not move.fits(cast("Ground", Ready("0.10.2.2", producer)), view)
