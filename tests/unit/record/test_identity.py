"""What run.json says of a run, and where a run may be written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from highwater.harness.errors import UsageError
from highwater.harness.record.reader import open_run
from highwater.harness.record.writer import RunRecord


def test_a_directory_that_holds_a_run_is_refused_and_left_as_it_was(tmp_path: Path) -> None:
    with RunRecord(tmp_path, {"scenario": "first"}):
        pass

    with pytest.raises(UsageError, match="already holds a run"):
        RunRecord(tmp_path, {"scenario": "second"})

    assert open_run(tmp_path).identity["scenario"] == "first"


def test_a_directory_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(UsageError, match=r"cannot write a run into .*/file/run"):
        RunRecord(tmp_path / "file" / "run", {})


def test_of_a_group_two_beginnings_are_none(tmp_path: Path) -> None:
    earliest, latest = ({"auto.offset.reset": word} for word in ("earliest", "latest"))
    with RunRecord(tmp_path, {}) as record:
        for name, told in (("a", earliest), ("b", earliest), ("a", earliest), ("b", latest)):
            record.group(name, told)

    assert open_run(tmp_path).identity["groups"] == {"a": earliest, "b": {}}


def test_run_json_says_when_it_began_and_by_which_schema(tmp_path: Path) -> None:
    with RunRecord(tmp_path, {"schema": 1}):
        pass

    identity = json.loads((tmp_path / "run.json").read_text())
    assert identity["schema"] == 1
    assert identity["started_at"].endswith("+00:00")
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_each_release_of_a_node_is_told_once_and_in_order(tmp_path: Path) -> None:
    with RunRecord(tmp_path, {"kafka": "2.8.2"}) as record:
        for kafka in ("2.8.2", "2.8.2", "3.9.1-zk", "3.9.1-zk", "2.8.2"):
            record.runs(1, kafka)
        record.runs(100, "2.8.2")

        told = json.loads((tmp_path / "run.json").read_text())

    assert told["releases"] == {"1": ["2.8.2", "3.9.1-zk", "2.8.2"], "100": ["2.8.2"]}
