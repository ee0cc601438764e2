"""What a bisection goes on with: its own plays, and of these the whole ones."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.front.told_releases import Told, options, searched

from highwater import bisecting, probing
from highwater.bisecting import Ends, bisect
from highwater.bisection import Tally
from highwater.harness.errors import UsageError
from highwater.harness.versions.catalogue import Kafka, find_kafka
from highwater.probing import outcome_of, probe_of


@pytest.mark.parametrize("passed", [[], ["test_first"]])
def test_a_report_of_a_pytest_that_was_stopped_is_no_play_that_held(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, passed: list[str]
) -> None:
    """Nothing can be played anew here: that it is tried, pytest says."""
    monkeypatch.setattr(probing, "runtime_with_progress", lambda _kafka, *, offline: offline)
    report = tmp_path / "runs" / "4.1.1" / "1"
    report.mkdir(parents=True)
    tests = [{"test": each, "outcome": "passed", "reason": ""} for each in passed]
    (report / "suite.json").write_text(json.dumps({"tests": tests, "not_run": ["test_last"]}))
    (report / "report.html").touch()
    probe = probe_of(f"{tmp_path}/test_nowhere.py", replace(options(tmp_path), trials=1))
    probe.out = tmp_path

    with pytest.raises(UsageError, match="pytest does not play"):
        probe.tally(find_kafka("4.1.1"))


def test_a_pytest_that_left_tests_out_proves_nothing_unless_one_failed() -> None:
    passed, failed = ({"outcome": each, "reason": ""} for each in ("passed", "failed"))

    assert outcome_of([passed], ["test_last"]) == ("inconclusive", "not run: test_last")
    assert outcome_of([], ["a", "b"]) == ("inconclusive", "not run: a, and 1 more")
    assert outcome_of([passed, failed], ["test_last"])[0] == "failed"
    assert outcome_of([])[0] == "inconclusive"


def test_a_bisection_of_another_subject_is_not_gone_on_with(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Reports of tests lie below releases: those of one were taken for plays of another."""
    searched(monkeypatch, Told("<1.1"), tmp_path, good="2.0.0", bad="1.0.0")
    ends = Ends(good="2.0.0", bad="1.0.0", mode=None)

    with pytest.raises(UsageError, match="a bisection of a-story, not of another-story"):
        bisect("another-story", ends, options(tmp_path, resume=True))

    assert json.loads((tmp_path / "bisect.json").read_text())["subject"] == "a-story"
    assert bisect("a-story", ends, options(tmp_path, resume=True)) == 0


@pytest.mark.parametrize("kept", ["", "[]", "{}", "[" * 9999, b"\xff"])
def test_a_bisection_that_cannot_be_read_is_not_gone_on_with(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, kept: str | bytes
) -> None:
    told = kept if isinstance(kept, bytes) else kept.encode()
    (tmp_path / "bisect.json").write_bytes(told)
    monkeypatch.setattr(bisecting, "probe_of", lambda _subject, _options: Told("<1.1"))

    with pytest.raises(UsageError, match=r"bisect\.json (cannot be read|is of no bisection)"):
        bisect("a-story", Ends(good=None, bad=None, mode=None), options(tmp_path, resume=True))


def test_whose_bisection_it_is_is_written_down_before_anything_is_played(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    class Stopped(Told):
        def tally(self, kafka: Kafka) -> Tally:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        searched(monkeypatch, Stopped("<1.1"), tmp_path)

    assert json.loads((tmp_path / "bisect.json").read_text())["subject"] == "a-story"
