"""Schedules go to a file and come back; what is none is refused in words."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path

import jsonschema
import pytest

import highwater.exploration.proposals  # noqa: F401 - it knows the moves of searches
from highwater.exploration.files import read_schedule, write_schedule
from highwater.exploration.moves import Cut, Lead, Mute, Release, Send, Shrink
from highwater.exploration.steps import MOVES, Schedule, Step, Taken
from highwater.harness.errors import UsageError

SCHEDULE = Schedule(
    kafka="0.10.2.2",
    steps=(
        Taken(Step(Mute(2, after_records=True)), ("before",), ("after", "that")),
        Taken(Step(Cut(1), waits=False)),
        Taken(Step(Send(1, "all"))),
        Taken(Step(Lead(2))),
        Taken(Step(Release("mute", 2, deliver=True))),
        Taken(Step(Shrink())),
    ),
    claims=("lost-write",),
    told="1 acknowledged record is gone",
    origin={"seed": 1},
)


def test_a_schedule_goes_to_a_file_and_comes_back(tmp_path: Path) -> None:
    write_schedule(tmp_path / "found.json", SCHEDULE)

    again = read_schedule(tmp_path / "found.json")

    assert again.to_json() == SCHEDULE.to_json()
    assert [each.step for each in again.steps] == [each.step for each in SCHEDULE.steps]


def test_what_is_written_is_what_the_schema_says_and_every_move_is_in_it() -> None:
    path = Path(__file__).parents[3] / "docs" / "schemas" / "schedule.schema.json"
    schema = json.loads(path.read_text(encoding="utf-8"))
    told = schema["properties"]["steps"]["items"]["oneOf"]

    jsonschema.Draft202012Validator(schema).validate(SCHEDULE.to_json())

    arguments = {
        each["properties"]["move"]["const"]: [name for name in each["required"] if name != "move"]
        for each in told
    }
    assert arguments == {
        name: [field.name for field in fields(kind)] for name, kind in MOVES.items()
    }


def test_a_story_has_every_step_in_words() -> None:
    assert SCHEDULE.story == (
        "mute(broker=2, after_records=True); cut(broker=1) at once; send(records=1, acks=all); "
        "lead(broker=2); release(of=mute, broker=2, deliver=True); shrink()"
    )


def test_every_move_has_a_name_of_its_own() -> None:
    assert all(kind.name == name for name, kind in MOVES.items())
    assert {"send", "cut", "mute", "deafen", "release", "lead", "prefer", "shrink"} <= {*MOVES}


@pytest.mark.parametrize(
    ("step", "words"),
    [
        ({"move": "fly"}, "expected a move of"),
        ({"move": "cut"}, "expected cut with"),
        ({"move": "cut", "broker": 1, "sharp": True}, "expected cut with"),
        ({"move": "cut", "broker": "one"}, "broker"),
        ({"move": "cut", "broker": True}, "broker"),
        ({"move": "send", "records": 0, "acks": "all"}, "records"),
        ({"move": "send", "records": 1, "acks": "most"}, "acks"),
        ({"move": "inject", "fault": f"Kill(broker={'-' * 20_000}1)"}, "expected a fault"),
        ({"move": "cut", "broker": 1, "waits": "no"}, "waits"),
        ("cut", "expected a step"),
        ({"move": "cut", "broker": 1, "before": "up"}, "list of words"),
        ({"move": "cut", "broker": 1, "after": [1]}, "list of words"),
        ({"move": "cut", "broker": 1, "danger": "high"}, "danger"),
    ],
)
def test_what_is_no_step_is_refused(tmp_path: Path, step: object, words: str) -> None:
    content = {**SCHEDULE.to_json(), "steps": [step]}
    (tmp_path / "wrong.json").write_text(json.dumps(content), encoding="utf-8")

    with pytest.raises(UsageError, match=words):
        read_schedule(tmp_path / "wrong.json")


DEEP = f'{{"schema": 1, "kafka": "4.1.1", "steps": [], "origin": {"[" * 100_000}{"]" * 100_000}}}'


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"schema": 1}', '{"schema": 9, "steps": []}', "[" * 100_000, DEEP],
    ids=range(7),
)  # fmt: skip
def test_what_is_no_schedule_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "wrong.json").write_text(text, encoding="utf-8")

    with pytest.raises(UsageError, match="schedule"):
        read_schedule(tmp_path / "wrong.json")


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ({"kafka": 4.1}, "expected kafka of a schedule to be a text, saw 4.1$"),
        ({"kafka": None}, "expected kafka of a schedule to be a text, saw None$"),
        ({"kafka": ["4.1.1"]}, "expected kafka of a schedule to be a text"),
        ({"told": 1}, "expected told of a schedule to be a text, saw 1$"),
        ({"told": None}, "expected told of a schedule to be a text, saw None$"),
        ({"told": {"text": "gone"}}, "expected told of a schedule to be a text"),
        ({"claims": 5}, "expected claims to be a list of names"),
        ({"origin": [1]}, "expected origin to be an object"),
        ({"setting": {"replicas": "x"}}, "saw replicas: 'x'"),
        ({"setting": {"settings": {"a": 1}}}, "saw settings: {'a': 1}"),
        ({"setting": {"fake_clock": "no"}}, "saw fake_clock: 'no'"),
        ({"setting": {"broker_settings": {"a": {}}}}, "saw broker_settings: {'a': {}}"),
        ({"setting": {"broker_settings": [1]}}, r"saw broker_settings: \[1\]"),
    ],
)
def test_what_a_schedule_says_wrongly_of_itself_is_refused(
    tmp_path: Path, told: dict[str, object], words: str
) -> None:
    (tmp_path / "s.json").write_text(json.dumps({**SCHEDULE.to_json(), **told}), encoding="utf-8")

    with pytest.raises(UsageError, match=words):
        read_schedule(tmp_path / "s.json")


def test_a_schedule_says_what_it_was_found_on_and_may_leave_out_what_was_seen(
    tmp_path: Path,
) -> None:
    told = SCHEDULE.to_json()
    path = tmp_path / "s.json"
    path.write_text(json.dumps({name: told[name] for name in told if name != "told"}))
    assert read_schedule(path).told == ""

    path.write_text(json.dumps({name: told[name] for name in told if name != "kafka"}))
    with pytest.raises(UsageError, match="expected kafka of a schedule to be a text"):
        read_schedule(path)
