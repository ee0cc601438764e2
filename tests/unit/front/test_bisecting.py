"""What a bisection refuses, shows and keeps; what is asked of releases is told here."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.unit.front.told_releases import Told, options, searched

from highwater import probing
from highwater.bisection_words import sentences
from highwater.harness.errors import PreconditionError, UsageError
from highwater.harness.versions.catalogue import find_kafka
from highwater.probing import outcome_of, probe_of
from highwater.workshop import directory_of


def test_a_fix_is_found_between_the_oldest_and_the_newest(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = Told("<2.6.1")

    code, found = searched(monkeypatch, told, tmp_path, mode="zk")

    assert code == 0
    assert (found["last"], found["first"], found["first_answer"]) == ("2.6.0", "2.6.1", "holds")
    assert told.asked[:2] == ["0.10.0.0", "3.9.2-zk"]
    assert len(told.asked) <= 9
    assert [step["kafka"] for step in found["tried"]] == told.asked
    printed = capsys.readouterr().out
    assert "the last on which it fails is 2.6.0, the first on which it holds is 2.6.1" in printed
    assert "step 1" in printed


def test_a_failure_that_came_later_is_found_when_good_is_older_than_bad(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    ends = {"good": "2.7.1", "bad": "2.8.0"}

    _, found = searched(monkeypatch, Told(">=2.8"), tmp_path, **ends)

    assert (found["last"], found["first"], found["first_answer"]) == ("2.7.2", "2.8.0", "fails")


@pytest.mark.parametrize(
    ("fails", "refusal"),
    [
        ("<0.10", "the bad end is not bad: a-story on 1.0.0: failed in 0 of 3; .* --bad VERSION"),
        (">=0.10", "the good end is not good: a-story on 2.0.0: failed in 1 of 3; .* --good"),
    ],
)
def test_an_end_that_is_not_what_it_was_said_to_be_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, fails: str, refusal: str
) -> None:
    with pytest.raises(UsageError, match=refusal):
        searched(monkeypatch, Told(fails), tmp_path, good="2.0.0", bad="1.0.0")


def test_an_end_of_which_nothing_can_be_told_is_no_answer(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    told = Told("<1.1", unclear="==1.0.0")

    with pytest.raises(PreconditionError, match=r"nothing can be said of the bad end.*\(no ISR\)"):
        searched(monkeypatch, told, tmp_path, good="2.0.0", bad="1.0.0")


def test_what_is_unclear_between_is_named_and_makes_the_result_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    told = Told("<1.1", unclear="==1.1.0")

    code, found = searched(monkeypatch, told, tmp_path, good="2.0.0", bad="1.0.0")

    assert code == 3
    assert (found["last"], found["first"], found["unclear"]) == ("1.0.2", "1.1.1", ["1.1.0"])
    assert sentences(found)[1] == "between them nothing could be told of 1.1.0"


@pytest.mark.parametrize(
    ("ends", "refusal"),
    [
        ({"good": "4.0.0", "mode": "zk"}, "no Kafka '4.0.0-zk'"),
        ({"good": "2.0.0", "bad": "2.0.0"}, "cannot be both ends"),
        ({"good": "0.10.0.1", "bad": "2.0.0"}, "name another end than 0.10.0.1"),
        ({"good": "3.9.1-zk", "bad": "4.1.1"}, "not played on 3.9.1-zk beside the first mode"),
        ({"bad": "9.9.9"}, "no Kafka '9.9.9'"),
    ],
)
def test_ends_that_cannot_be_are_refused_before_anything_is_played(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, ends: dict[str, str], refusal: str
) -> None:
    told = Told("<1.1", plays_on=">=0.11")

    with pytest.raises(UsageError, match=refusal):
        searched(monkeypatch, told, tmp_path, **ends)
    assert told.asked == []


def test_two_ends_of_one_mode_choose_it_and_otherwise_each_release_is_in_its_first(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    chosen = {"good": "3.9.1-zk", "bad": "3.3.2-zk"}

    _, one = searched(monkeypatch, Told("<3.6"), tmp_path / "one", **chosen)
    _, every = searched(monkeypatch, Told("<3.6"), tmp_path / "every")

    assert (one["last"], one["first"]) == ("3.5.2-zk", "3.6.0-zk")
    assert {"2.8.2", "3.2.3"} <= {*one["line"]}
    assert (every["last"], every["first"]) == ("3.5.2", "3.6.0")
    assert every["line"][-1] == "4.4.0"


def test_a_directory_that_holds_results_is_refused_without_resume(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "runs").mkdir()

    with pytest.raises(UsageError, match="already holds results"):
        searched(monkeypatch, Told("<1.1"), tmp_path)


def test_a_directory_of_somebody_elses_is_refused_with_resume_as_well(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").touch()

    with pytest.raises(UsageError, match=r"is not empty: it holds thesis\.tex"):
        directory_of(tmp_path, used=True)


@pytest.mark.parametrize("held", ["bisect.json", "compare.json", "runs"])
def test_what_is_resumed_holds_what_we_write(tmp_path: Path, held: str) -> None:
    (tmp_path / held).mkdir()
    (tmp_path / "log.txt").touch()  # where somebody keeps what was said

    assert directory_of(tmp_path, used=True) == tmp_path
    with pytest.raises(UsageError, match="already holds results"):
        directory_of(tmp_path, used=False)


def test_an_empty_directory_is_new_enough(tmp_path: Path) -> None:
    (tmp_path / ".writable").touch()  # of a shard that begins at the same moment

    assert directory_of(tmp_path, used=False) == tmp_path
    assert list(tmp_path.iterdir()) == []


def test_a_pytest_comes_to_what_its_worst_test_did() -> None:
    def test(outcome: str) -> dict[str, str]:
        return {"outcome": outcome, "reason": f"why {outcome}"}

    passed, failed, skipped = test("passed"), test("failed"), test("skipped")

    assert outcome_of([passed, failed, test("error")]) == ("failed", "why failed")
    assert outcome_of([passed, test("inconclusive")]) == ("inconclusive", "why inconclusive")
    assert outcome_of([passed, skipped]) == ("passed", "")
    assert outcome_of([skipped]) == ("skipped", "why skipped")
    assert outcome_of([test("error"), passed])[0] == "error"


def test_a_subject_that_is_no_scenario_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="nearest are"):
        probe_of("kip101-los-strict", options(tmp_path))


@pytest.fixture
def _jars(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if they were here."""
    monkeypatch.setattr(probing, "runtime_with_progress", lambda _kafka, *, offline: offline)


@pytest.mark.usefixtures("_jars")
def test_a_test_that_pytest_does_not_find_is_refused_with_what_it_says(tmp_path: Path) -> None:
    probe = probe_of(f"{tmp_path}/test_nowhere.py::test_x", options(tmp_path))
    probe.out = tmp_path / "out"

    with pytest.raises(UsageError, match=r"(?s)pytest does not play .*: .*file or dir.* not found"):
        probe.tally(find_kafka("4.1.1"))


@pytest.mark.usefixtures("_jars")
@pytest.mark.parametrize(
    ("before", "counted"),
    [
        (["passed", "passed", "passed"], (0, 3, 0)),
        (["failed", "passed", "inconclusive"], (1, 1, 1)),
        (["passed", "inconclusive", "passed", "passed"], (0, 3, 1)),
        (["skipped"] * 5, (0, 0, 5)),
    ],
)
def test_what_pytest_has_played_is_counted_and_only_what_proved_nothing_is_played_again(
    tmp_path: Path, before: list[str], counted: tuple[int, int, int]
) -> None:
    """Nothing is played: there is no such test, and whoever asked pytest for it would be told."""
    for number, outcome in enumerate(before, start=1):
        report = tmp_path / "runs" / "4.1.1" / str(number)
        report.mkdir(parents=True)
        tests = [{"test": "test_x", "outcome": outcome, "reason": f"why {outcome}"}]
        (report / "suite.json").write_text(json.dumps({"tests": tests}))
        (report / "report.html").touch()
    probe = probe_of(f"{tmp_path}/test_nowhere.py", options(tmp_path, reruns=2))
    probe.out = tmp_path

    tally = probe.tally(find_kafka("4.1.1"))

    assert (tally.failed, tally.held, tally.inconclusive) == counted
    assert list(tally.reasons) == [f"why {each}" for each in before if each != "passed"]
