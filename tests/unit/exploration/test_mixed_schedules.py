"""What a schedule that somebody writes by hand may have beside commits of groups."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import highwater.exploration.proposals  # noqa: F401 - it knows the moves of searches
from highwater.exploration.files import read_schedule
from highwater.exploration.steps import MOVES
from highwater.harness.errors import UsageError

COMMIT = {"move": "commit", "group": 1}
COMMITS: tuple[dict[str, Any], ...] = (
    COMMIT,
    {"move": "commit_within", "producer": 1},
    {"move": "commit_late", "producer": 1},
)
SEND = {"move": "send", "records": 1, "acks": "all"}
WRITES: tuple[dict[str, Any], ...] = (
    SEND,
    {"move": "pour", "gap_ms": 10},
    {"move": "write", "producer": 1, "records": 1},
    {"move": "write_late", "producer": 1},
    {"move": "send_once", "producer": 1, "records": 1},
    {"move": "once_late", "producer": 1},
    {"move": "again", "producer": 1},
    {"move": "once_arrives", "producer": 1},
)
OTHERS: tuple[dict[str, Any], ...] = (
    {"move": "lead", "broker": 2},
    {"move": "kill", "broker": 1},
    {"move": "lose_power", "broker": 1},
    {"move": "depose"},
    {"move": "inject", "fault": "Kill(broker=1)"},
    {"move": "claim", "producer": 1},
    {"move": "coordinate", "broker": 2},
    {"move": "end", "producer": 1, "commit": True},
    {"move": "withhold", "broker": 2},
)


def written(path: Path, *steps: dict[str, Any]) -> Path:
    told = {"schema": 1, "kafka": "4.1.1", "steps": steps}
    path.write_text(json.dumps(told), encoding="utf-8")
    return path


@pytest.mark.parametrize("commits", COMMITS, ids=lambda each: str(each["move"]))
@pytest.mark.parametrize("write", WRITES, ids=lambda each: str(each["move"]))
def test_records_are_not_written_where_groups_commit(
    tmp_path: Path, write: dict[str, Any], commits: dict[str, Any]
) -> None:
    for name, steps, places in (
        ("before.json", (write, commits), ("step 1", "step 2")),
        ("behind.json", (commits, OTHERS[0], write, commits), ("step 3", "step 1")),
    ):
        path, (at, commit) = written(tmp_path / name, *steps), places

        with pytest.raises(UsageError) as refused:
            read_schedule(path)

        said = str(refused.value)
        assert said.startswith(f"{path} is no schedule: {at} ({write['move']}(")
        assert f"cannot be played beside {commit} ({commits['move']}(" in said


def test_those_are_all_that_write() -> None:
    assert {name for name, kind in MOVES.items() if kind.writes_records} == {
        each["move"] for each in WRITES
    }


@pytest.mark.parametrize("other", OTHERS, ids=lambda each: str(each["move"]))
def test_whatever_writes_no_records_may_stand_beside_commits(
    tmp_path: Path, other: dict[str, Any]
) -> None:
    schedule = read_schedule(written(tmp_path / "s.json", other, COMMIT))

    assert len(schedule.steps) == 2


def test_records_may_be_sent_beside_those_of_transactions(tmp_path: Path) -> None:
    claim = {"move": "claim", "producer": 1}
    schedule = read_schedule(written(tmp_path / "s.json", claim, *WRITES))

    assert [each.step.move.name for each in schedule.steps[1:]] == [each["move"] for each in WRITES]
