"""What a bisection goes on with: its own plays, and of these the whole ones."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.front.test_bisecting import options

from highwater import probing
from highwater.harness.errors import UsageError
from highwater.harness.versions.catalogue import find_kafka
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
