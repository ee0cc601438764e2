"""Clusters that never come up: a search of such a Kafka has searched nothing, and says so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from highwater import rounds
from highwater.exploration.findings import Finding
from highwater.exploration.rounds import Round
from highwater.harness.errors import InfrastructureError
from highwater.harness.lifetime import Lifetime
from highwater.harness.versions.catalogue import find_kafka
from highwater.rounds import MOST_BROKEN, Rounds

PLAYED = Round(taken=(), finding=Finding())


class Broken(Lifetime):
    """Boots of which these many fail, one after the other; the next one succeeds."""

    failing = 0

    def __init__(self, *_: Any) -> None:
        super().__init__()

    def _begin(self) -> None:
        pass

    def take(self, _cell: Any) -> object:
        if Broken.failing:
            Broken.failing -= 1
            raise InfrastructureError("broker 1 does not serve")
        return object()


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    monkeypatch.setattr(rounds, "Clusters", Broken)
    monkeypatch.setattr(rounds, "runtime_with_progress", lambda *_, **__: None)
    monkeypatch.setattr(rounds, "play_round", lambda *_: PLAYED)
    with Rounds(find_kafka("4.1.1"), tmp_path, print) as opened:
        yield opened


def test_one_that_comes_up_at_last_is_played_on(opened: Rounds) -> None:
    for _ in range(3):
        Broken.failing = MOST_BROKEN - 1

        played = [opened.play(lambda *_: None) for _ in range(MOST_BROKEN)]

        assert [each.finding.is_settled for each in played] == [False] * (MOST_BROKEN - 1) + [True]
        opened._cluster = None  # the next one is another


def test_a_kafka_on_which_nothing_can_be_played_is_no_clean_one(opened: Rounds) -> None:
    Broken.failing = 100

    for _ in range(MOST_BROKEN - 1):
        opened.play(lambda *_: None)
    with pytest.raises(InfrastructureError) as refused:
        opened.play(lambda *_: None)

    assert str(refused.value) == (
        "expected a cluster of Kafka 4.1.1 to play schedules on, saw 5 in a row that did not come "
        "up, the last one as broker 1 does not serve"
    )


def test_what_a_schedule_breaks_is_told_each_time(
    opened: Rounds, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However often in a row: it may be what the schedule comes to, as it is made small."""
    Broken.failing = 0

    def breaks(*_: object) -> Round:
        raise InfrastructureError("broker 2 does not come back")

    monkeypatch.setattr(rounds, "play_round", breaks)

    told = {opened.play(lambda *_: None).finding.told for _ in range(3 * MOST_BROKEN)}

    assert told == {"broker 2 does not come back"}
