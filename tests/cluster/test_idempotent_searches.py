"""What is sent again is there once, on real brokers; by who does not number it, twice."""

from __future__ import annotations

import pytest

from highwater.exploration import numbered
from highwater.exploration.moves import Cut, KillBroker, Lead, Release, StartBroker
from highwater.exploration.numbering import Again, OnceArrives, OnceLate, SendOnce
from highwater.exploration.rounds import Round
from highwater.exploration.steps import Step
from highwater.exploration.walk import following
from highwater.harness.versions.catalogue import find_kafka
from highwater.harness.workloads.requests import NOBODY
from highwater.rounds import Rounds
from highwater.workshop import workshop

pytestmark = [pytest.mark.cluster, pytest.mark.on_demand]

LATE = [
    Step(each) for each in (SendOnce(1, 3), OnceLate(1), Again(1), SendOnce(1, 1), OnceArrives(1))
]
ELSEWHERE = [
    *LATE,
    *(
        Step(each)
        for each in (
            Cut(3), SendOnce(2, 1), Again(2), Release("cut", 3, deliver=True), Lead(2),
            OnceLate(1), Again(1), KillBroker(3), StartBroker(3), Lead(1), OnceArrives(1),
            SendOnce(1, 2), SendOnce(2, 2),
        )
    ),
]  # fmt: skip


def play(kafka: str, steps: list[Step]) -> Round:
    with workshop() as place, Rounds(find_kafka(kafka), place, print) as rounds:
        return rounds.play(following(steps))


@pytest.mark.parametrize("kafka", ["0.11.0.3", "2.8.2", "4.4.0"])
def test_what_is_sent_again_late_and_to_the_next_leader_is_there_once(kafka: str) -> None:
    played = play(kafka, ELSEWHERE)

    assert played.steps == ELSEWHERE, played
    assert not played.failures, played.failures
    assert played.finding.claims == (), played.finding
    assert played.finding.is_settled


def test_a_batch_without_a_number_is_there_twice_and_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(numbered, "Producing", lambda *_: NOBODY)

    played = play("4.4.0", LATE)

    assert played.steps == LATE, played
    assert played.finding.claims == ("duplicate",), played.finding
