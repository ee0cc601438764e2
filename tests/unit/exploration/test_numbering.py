"""Moves of idempotent producers: when each fits, what is waited for, and what is a finding."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any, cast

import pytest
from tests.unit.exploration.test_numbered import WHERE, Brokers, a_producer, brokers

from highwater.exploration.findings import finding_of
from highwater.exploration.ground import Ground
from highwater.exploration.numbering import Again, OnceArrives, OnceLate, SendOnce
from highwater.exploration.plot import Plot
from highwater.exploration.steps import Move
from highwater.exploration.views import Log, Promised, View, state_of
from highwater.harness.model import PartitionState
from highwater.harness.partition import Partition
from highwater.harness.versions.catalogue import find_kafka

__all__ = ["brokers"]  # the fixture


def a_view(*logs: Log, once: Mapping[int, int | None], standings: tuple[str, ...] = ()) -> View:
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

    found = finding_of(a_view(twice, twice, once={5: 0, 6: 1}))
    assert found.claims == ("duplicate",)
    assert found.told == "1 records are there twice or elsewhere, the first of them 5"
    assert finding_of(a_view(twice, twice, once={6: 1})).claims == ()
    once: Log = ((0, 5, 0), (1, 6, 0))
    assert finding_of(a_view(once, once, once={5: 0, 6: None, 7: None})).claims == ()


def test_what_was_lost_and_is_brought_back_by_a_late_request_is_not_where_it_was() -> None:
    log: Log = ((0, 9, 0), (1, 5, 1))

    assert finding_of(a_view(log, log, once={5: 0})).claims == ("duplicate",)
    assert finding_of(a_view(log, log, once={5: 1})).claims == ()
    assert finding_of(a_view(log, log, once={5: None})).claims == ()


def test_a_topic_that_is_created_anew_has_no_numbers_yet(brokers: Brokers) -> None:
    plot = Plot(brokers.play(), cast("Partition", SimpleNamespace(where=WHERE)))
    plot.idempotent[1] = a_producer(brokers)
    plot.idempotent[1].send(1)
    assert plot.promised.once

    plot.begin_anew(cast("Partition", SimpleNamespace(where=WHERE)))

    assert not plot.promised.once
    assert plot.promised.standings == ()


def test_where_its_producers_stand_is_of_a_state() -> None:
    log: Log = ((0, 5, 0),)
    assert "idempotent waits" in state_of(
        a_view(log, once={5: None}, standings=("idempotent waits",))
    )


@pytest.mark.parametrize(
    ("move", "late", "is_waited_for"),
    [(SendOnce(1, 1), "it is", True), (Again(1), "it is", True), (OnceLate(1), "it is", False)],
)
def test_a_step_that_waits_is_waited_for_though_an_older_request_is_late(
    move: Move, late: object, is_waited_for: bool
) -> None:
    waited = list[object]()
    producer = SimpleNamespace(
        name="idempotent-1", waits=True, late=late,
        send=lambda _records, **_: None, again=lambda: None,
    )  # fmt: skip
    ground = SimpleNamespace(
        plot=SimpleNamespace(producer=lambda _number: producer),
        play=SimpleNamespace(step=lambda _text: None),
        soon=lambda fact, _timeout_s: waited.append(fact),
    )

    move.take(cast("Ground", ground), a_view(((0, 5, 0),), once={}), waits=True)

    assert bool(waited) is is_waited_for


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
    view = a_view(log, once={})

    assert move.fits(cast("Ground", Ready("2.8.2", producer)), view) is fits
    assert not move.fits(cast("Ground", Ready("0.10.2.2", producer)), view)
