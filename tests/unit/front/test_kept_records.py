"""What is said of records that stay: of tests that did not pass, and of who was interrupted."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import pytest

from highwater.grounds import Grounds
from highwater.playing import after_an_interruption
from highwater.testing import Suite


def test_the_record_of_a_test_that_did_not_pass_stays_when_its_place_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    suite = Suite(tmp_path / "place", Grounds(), ExitStack())
    run, other = (tmp_path / "place" / "results" / "runs" / name for name in ("1-t", "2-u"))
    for each in (run, other):
        each.mkdir(parents=True)
        (each / "run.json").touch()

    said, again = suite.keep(run), suite.keep(run)

    (kept,) = tmp_path.glob("highwater-runs/pytest-*/runs/*")
    assert said == again == f"the record: {kept}"
    assert (kept / "run.json").exists()
    assert not run.exists()
    assert other.exists()


def test_where_a_record_cannot_be_kept_the_test_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "highwater-runs").write_text("a file")
    suite = Suite(tmp_path / "place", Grounds(), ExitStack())
    run = tmp_path / "place" / "results" / "runs" / "1-t"
    run.mkdir(parents=True)

    assert "the record cannot be kept at" in suite.keep(run)


def test_who_is_interrupted_hears_of_a_record_only_where_there_is_one(tmp_path: Path) -> None:
    before = after_an_interruption(tmp_path)
    (tmp_path / "runs" / "1").mkdir(parents=True)
    (tmp_path / "runs" / "1" / "run.json").touch()

    assert before == "interrupted before anything was recorded"
    assert f"highwater check {tmp_path}" in after_an_interruption(tmp_path)
