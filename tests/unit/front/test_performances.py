"""How a test's play ends, by what the test raised: on the context of a play that is faked."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from highwater.account import Account
from highwater.harness.errors import DeadlineError, HighwaterError, UsageError
from highwater.harness.trial import Played
from highwater.testing import Performance

KEPT = "the record: kept/1"
LOST = Account(outcome="failed", reason="violated: lost-write", text="violated: lost-write")
TOLD = replace(LOST, text=f"{LOST.text}\n{KEPT}")


class FakeSuite:
    """A judge that finds a loss in whatever was played, or what it is told to find."""

    def __init__(self) -> None:
        self.judged: list[Played] = []
        self.kept: list[Path] = []
        self.found = LOST
        self.closed = 0

    def judge(self, played: Played, _test: object) -> Account:
        self.judged.append(played)
        return self.found

    def keep(self, run: Path) -> str:
        self.kept.append(run)
        return KEPT

    def close_clusters(self) -> None:
        self.closed += 1


class FakePlay:
    def __init__(self) -> None:
        self.record: Any = SimpleNamespace(event=lambda _kind, text: self.notes.append(text))
        self.notes: list[str] = []
        self.healed = False


@pytest.fixture
def begun() -> tuple[Performance, FakePlay, FakeSuite]:
    play, suite = FakePlay(), FakeSuite()
    stage = SimpleNamespace(play=play, played=None)

    @contextmanager
    def staged() -> Generator[Any]:
        reason = ""
        try:
            yield stage
        except HighwaterError as error:
            reason = str(error)
        finally:
            play.healed = True
            stage.played = Played(Path("run"), not reason, reason, 1.0, cluster_usable=True)

    test: Any = SimpleNamespace(node_id="t")
    performance = Performance(suite, staged(), test, "runs/1")  # type: ignore[arg-type]
    performance.begin()
    return performance, play, suite


@pytest.mark.parametrize(
    ("raised", "reason"),
    [
        (None, ""),
        (AssertionError("3 == 4"), ""),
        (UsageError("no broker 7"), ""),
        (DeadlineError("no leader"), "no leader"),
    ],
    ids=str,
)
def test_only_a_state_that_did_not_come_makes_a_play_incomplete_and_all_are_judged(
    begun: tuple[Performance, FakePlay, FakeSuite], raised: Exception | None, reason: str
) -> None:
    performance, play, suite = begun

    account = performance.end(raised)

    assert account == TOLD
    assert play.healed
    assert suite.kept == [Path("run")]
    assert [(each.complete, each.reason) for each in suite.judged] == [(not reason, reason)]


@pytest.mark.parametrize("raised", [None, AssertionError("3 == 4")], ids=str)
def test_the_record_stays_of_a_test_that_fails_by_itself(
    begun: tuple[Performance, FakePlay, FakeSuite], raised: Exception | None
) -> None:
    performance, _, suite = begun
    suite.found = Account(outcome="passed")

    account = performance.end(raised)

    assert account == suite.found
    assert len(suite.kept) == (raised is not None)
    assert getattr(raised, "__notes__", []) == ([KEPT] if raised else [])


def test_where_the_record_is_is_said_once(begun: tuple[Performance, FakePlay, FakeSuite]) -> None:
    performance, _, suite = begun
    suite.found = TOLD

    assert performance.end() == TOLD


def test_what_a_test_raised_itself_is_on_the_record(
    begun: tuple[Performance, FakePlay, FakeSuite],
) -> None:
    performance, play, _ = begun

    performance.end(AssertionError("3 == 4"))

    assert play.notes == ["the test raised AssertionError: 3 == 4"]


def test_a_play_that_the_test_left_is_healed_and_not_judged(
    begun: tuple[Performance, FakePlay, FakeSuite],
) -> None:
    performance, play, suite = begun

    performance.leave("the test left off")
    performance.leave("again")

    assert play.healed
    assert suite.judged == []


def test_an_interruption_heals_and_ends_the_cluster(
    begun: tuple[Performance, FakePlay, FakeSuite],
) -> None:
    performance, play, suite = begun

    performance.abandon(KeyboardInterrupt())

    assert play.healed
    assert (suite.judged, suite.closed) == ([], 1)


def test_a_judge_that_breaks_makes_a_test_inconclusive(
    begun: tuple[Performance, FakePlay, FakeSuite], monkeypatch: pytest.MonkeyPatch
) -> None:
    performance, _, suite = begun
    monkeypatch.setattr(suite, "judge", lambda *_: 1 / 0)

    account = performance.end()

    assert account.outcome == "inconclusive"
    assert "ZeroDivisionError" in account.reason
    assert suite.closed == 1


def test_who_is_stopped_while_a_play_is_judged_leaves_no_cluster_in_the_middle_of_it(
    begun: tuple[Performance, FakePlay, FakeSuite], monkeypatch: pytest.MonkeyPatch
) -> None:
    performance, _, suite = begun

    def stopped(_played: Played, _test: object) -> Account:
        raise pytest.fail.Exception("Timeout (>20.0s) from pytest-timeout.")

    monkeypatch.setattr(suite, "judge", stopped)

    with pytest.raises(pytest.fail.Exception, match="Timeout"):
        performance.end()
    assert suite.closed == 1
