"""`highwater check` says of every run what it is worth, and ends with what that comes to."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from tests.checkers.conftest import Row, consumer, end, poll, send
from tests.checkers.paths import FULL

from highwater import judging
from highwater.harness.record.reader import StoredRun

pytestmark = pytest.mark.spark

WriteRun = Callable[[Path, Sequence[Row]], StoredRun]
SCHEMA = Path(__file__).parents[2] / "docs" / "schemas" / "check.schema.json"

Check = Callable[..., tuple[int, str, str]]


@pytest.fixture
def check(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Check:
    """The command, in this process: its exit code, and what it prints."""
    monkeypatch.setattr(judging, "stop_session", lambda: None)  # other tests need it

    def checked(*places: Path, cross_check: bool = False, as_json: bool = False) -> Any:
        where = [str(place) for place in places]
        code = judging.check(where, None, cross_check=cross_check, as_json=as_json)
        out, err = capsys.readouterr()
        if as_json:
            jsonschema.validate(json.loads(out), json.loads(SCHEMA.read_text(encoding="utf-8")))
        return code, out, err

    return checked


def test_runs_that_cannot_be_opened_take_no_verdict_from_those_beside_them(
    write_run: WriteRun, tmp_path: Path, check: Check
) -> None:
    write_run(tmp_path / "runs" / "good", [send(1, 0), poll(1, 0), end(1)])
    broken = write_run(tmp_path / "runs" / "broken", [send(1, 0)])
    (broken.path / "run.json").write_text('{"schema": 1')
    lossy = write_run(tmp_path / "lossy", [send(1, 0), end(1), consumer()])

    code, out, err = check(tmp_path / "runs", as_json=True, cross_check=True)
    with_a_loss, table, _ = check(tmp_path / "runs", lossy.path, tmp_path / "nowhere")

    good, named = json.loads(out)
    assert (code, with_a_loss) == (3, 1)
    (measured,) = (each for each in good["measures"] if each["acked"])
    assert (measured["acked"], measured["partition"], measured["second"]) == (1, None, None)
    assert good["unreadable"] == {}
    assert {"HELD", "UNKNOWN"} == {one["answer"] for one in good["verdicts"]}
    assert named["run"] == str(broken.path)
    assert "run.json cannot be read" in named["unreadable"]["run.json"]
    assert named["verdicts"] == []
    assert "run.json cannot be read" in err
    assert "VIOLATED" in table


@pytest.mark.parametrize("name", ["run.json", "events.jsonl", "history/part-000009.parquet"])
def test_a_pipe_among_the_files_of_a_run_keeps_nobody_waiting(
    write_run: WriteRun, tmp_path: Path, check: Check, name: str
) -> None:
    write_run(tmp_path / "runs" / "good", [send(1, 0), poll(1, 0), end(1)])
    odd = write_run(tmp_path / "runs" / "odd", [send(1, 0)])
    (odd.path / name).unlink(missing_ok=True)
    os.mkfifo(odd.path / name)

    code, out, _ = check(tmp_path / "runs", as_json=True)

    good, named = json.loads(out)
    assert (code, good["unreadable"], named["verdicts"]) == (3, {}, [])
    assert f"{name} is a pipe, a socket or a device" in named["unreadable"]["run.json"]


def test_what_cannot_be_read_is_told_of_each_run_and_is_no_success(
    write_run: WriteRun, tmp_path: Path, check: Check
) -> None:
    odd = write_run(tmp_path / "[/odd]", FULL)
    (odd.path / "replica_logs" / "part-000000.parquet").write_bytes(b"PAR1")

    code, out, _ = check(odd.path, as_json=True)
    again, table, err = check(odd.path, cross_check=True)

    (told,) = json.loads(out)
    assert (code, again) == (3, 3)
    assert list(told["unreadable"]) == ["replica_logs"]
    assert "replica_logs cannot be judged" in table
    assert "[/odd]" in table
    assert "the second opinion agrees" in err


def test_a_timeline_that_cannot_be_read_is_no_success(
    write_run: WriteRun, tmp_path: Path, check: Check
) -> None:
    run = write_run(tmp_path / "run", [send(1, 0), poll(1, 0), end(1)])
    sound, *_ = check(run.path)
    (run.path / "events.jsonl").write_text('{"at_ns": nonsense}\n{"at_ns": 1}\n')

    code, out, _ = check(run.path, as_json=True)

    (told,) = json.loads(out)
    assert (sound, code) == (0, 3)
    assert list(told["unreadable"]) == ["events.jsonl"]


def test_verdicts_that_cannot_be_written_are_told_all_the_same(
    write_run: WriteRun, tmp_path: Path, check: Check
) -> None:
    run = write_run(tmp_path / "run", [send(1, 0), poll(1, 0), end(1)])
    (run.path / "verdicts.json").mkdir()

    code, out, err = check(run.path, as_json=True)

    assert code == 3
    assert json.loads(out)[0]["verdicts"]
    assert "cannot write" in err


def test_where_brokers_were_made_to_lie_the_verdicts_are_told_with_it(
    write_run: WriteRun, tmp_path: Path, check: Check
) -> None:
    lies, true = (
        write_run(tmp_path / name, [send(1, 0), poll(1, 0), end(1)]) for name in ("lies", "true")
    )
    told = {**json.loads((lies.path / "run.json").read_text()), "rewritten": {"Produce X": 2}}
    (lies.path / "run.json").write_text(json.dumps(told))

    _, shown, _ = check(tmp_path)
    _, whole, _ = check(tmp_path, as_json=True)

    assert (
        " ".join(shown.split()).count("Brokers were made to lie. 2 answers to Produce became") == 1
    )
    by_run = {each["run"]: each["rewritten"] for each in json.loads(whole)}
    assert by_run == {str(lies.path): {"Produce X": 2}, str(true.path): {}}


LIE = {"at_ns": 1, "kind": "gate", "event": "answered", "stage": "response", "api": 0, "error": 7}


@pytest.mark.parametrize(
    ("timeline", "told"),
    [
        (json.dumps(LIE), ("made to lie. 1 answer to Produce", {"Produce REQUEST_TIMED_OUT": 1})),
        ("what?\n" + json.dumps(LIE), ("Nobody can tell whether brokers were made to lie", None)),
    ],
    ids=["killed", "damaged"],
)
def test_of_a_play_that_was_killed_the_timeline_says_it(
    write_run: WriteRun, tmp_path: Path, check: Check, timeline: str, told: tuple[str, Any]
) -> None:
    run = write_run(tmp_path / "run", [send(1, 0), poll(1, 0), end(1)])
    (run.path / "events.jsonl").write_text(timeline + "\n")

    _, shown, _ = check(run.path)
    _, whole, _ = check(run.path, as_json=True)

    said, counted = told
    assert said in " ".join(shown.split())
    assert json.loads(whole)[0]["rewritten"] == counted


def test_half_a_character_in_run_json_is_shown_as_its_escape(
    write_run: WriteRun, tmp_path: Path, check: Check
) -> None:
    run = write_run(tmp_path / "run", [send(1, 0), poll(1, 0), end(1)])
    told = {**json.loads((run.path / "run.json").read_text()), "rewritten": {"\ud800 X": 2}}
    (run.path / "run.json").write_text(json.dumps(told))

    _, shown, _ = check(run.path)

    assert "2 answers to \\ud800 became X" in shown
