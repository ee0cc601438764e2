"""The schedule of a replay on its page: steps with their states, how it was found, and again."""

from __future__ import annotations

import json
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from highwater.drawing import report
from highwater.exploration.scenarios import as_scenario
from highwater.exploration.steps import Schedule
from highwater.harness.record.reader import open_run
from highwater.reports.exhibit import Exhibit, exhibit
from highwater.reports.schedules import MOST, SOURCE

STEPS = [
    {
        "move": "mute", "broker": 2, "after_records": True, "waits": True, "danger": 0,
        "before": ["leader HW=LEO", "log=leader", "log=leader"], "after": ["leader HW<LEO"],
        "seen": {"isr": [1, 2, 3]},
    },
    {"move": "lead", "broker": 2, "waits": False, "danger": 3},
]  # fmt: skip
ORIGIN = {
    "seed": 1, "number": 14, "strategy": "guided", "moves": "gentle", "hits": 8, "plays": 10,
    "shrinking": {"steps_before": 12, "plays": 40, "seconds": 92.4, "cut_short": False},
    "replays": "found-1-small",
}  # fmt: skip


def write(kip101: ModuleType, root: Path, told: Any, **identity: Any) -> Path:
    """A run of kip101.py that says of itself that it replays a schedule."""
    run = Path(kip101.write(root, kip101.Trial(scenario="found-1-small")))
    path = run / "run.json"
    known = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**known, "source": SOURCE, **identity}), encoding="utf-8")
    if told is not None:
        (run / "schedule.json").write_text(json.dumps(told), encoding="utf-8")
    return run


def shown(run: Path, *, brief: bool = False) -> Exhibit:
    return exhibit(open_run(run), run.parents[3], brief=brief)


def a_schedule(origin: dict[str, Any], steps: Any = STEPS) -> dict[str, Any]:
    return {"schema": 1, "kafka": "0.10.2.2", "origin": origin, "steps": steps}


def test_steps_have_the_states_around_them(kip101: ModuleType, tmp_path: Path) -> None:
    told = shown(write(kip101, tmp_path, a_schedule(ORIGIN))).schedule

    assert told
    assert [(each.words, each.danger) for each in told.steps] == [
        ("mute(broker=2, after_records=yes)", 0),
        ("lead(broker=2) at once", 3),
    ]
    assert list(told.steps[0].before) == ["leader HW=LEO", "log=leader", "log=leader"]
    assert (list(told.steps[0].after), list(told.steps[1].after)) == (["leader HW<LEO"], [])


def test_how_it_was_found_and_what_was_promised_is_told(kip101: ModuleType, tmp_path: Path) -> None:
    told = shown(write(kip101, tmp_path, a_schedule(ORIGIN))).schedule

    assert told
    assert dict(told.facts) == {
        "found by a search": "schedule 14 of seed 1, guided",
        "shown when it was shrunk": "in 8 of 10 plays of the small one",
        "shrinking": "from 12 steps, 40 plays in 92 s",
        "promises that were assumed": "acks=all; min.insync.replicas=2; unclean elections off; "
        "gentle moves (no broker dies)",
    }


@pytest.mark.parametrize(
    ("origin", "facts"),
    [
        ({}, {}),
        ({"shrinking": {}}, {}),
        (
            {"shrinking": {"steps_before": 1, "plays": 2, "seconds": 180, "cut_short": True}},
            {
                "shrinking": "from 1 step, 2 plays in 180 s; the time for that was over, and less "
                "may do"
            },
        ),
        (
            {"hits": 3, "plays": 10},
            {"shown when it was shrunk": "in 3 of 10 plays of the small one"},
        ),
    ],
)
def test_what_nobody_has_told_is_left_out(
    kip101: ModuleType, tmp_path: Path, origin: dict[str, Any], facts: dict[str, str]
) -> None:
    told = shown(write(kip101, tmp_path, a_schedule({**origin, "replays": "x"}))).schedule

    assert told
    assert {
        **facts,
        "promises that were assumed": "acks=all; min.insync.replicas=2; unclean elections off",
    } == dict(told.facts)


def test_settings_of_the_run_are_what_was_promised(kip101: ModuleType, tmp_path: Path) -> None:
    changed = {"min.insync.replicas": "1", "unclean.leader.election.enable": "true"}
    run = write(kip101, tmp_path, a_schedule({"replays": "x"}), topic_settings=changed)

    told = shown(run).schedule

    assert told
    (told_last,) = [text for name, text in told.facts]
    assert told_last == "acks=all; min.insync.replicas=1; unclean elections on"


@pytest.mark.parametrize("brief", [True, False])
@pytest.mark.parametrize(
    ("identity", "more"),
    [
        ({}, ""),
        ({"backend": "docker"}, " --backend docker"),
        ({"backend": "docker", "image": "apache/kafka:4", "jars": None},
         " --backend docker --image apache/kafka:4"),
    ],
)  # fmt: skip
def test_the_command_replays_its_run(
    kip101: ModuleType, tmp_path: Path, brief: bool, identity: dict[str, Any], more: str
) -> None:
    """No scenario has its name, so that no `run` would find it."""
    run = write(kip101, tmp_path, a_schedule(ORIGIN), **identity)

    assert shown(run, brief=brief).command == (
        f"highwater replay runs/found-1-small/0.10.2.2/1 --kafka 0.10.2.2{more}"
    )


def test_a_run_that_left_no_schedule_has_no_command(kip101: ModuleType, tmp_path: Path) -> None:
    assert shown(write(kip101, tmp_path, None)).command == ""


def test_what_a_scenario_did_is_no_block_and_its_command_is_as_ever(
    kip101: ModuleType, tmp_path: Path
) -> None:
    told = a_schedule({"scenario": "kip101-loss-strict", "control": None})
    made = shown(write(kip101, tmp_path, told, source="KIP-101"))

    assert made.schedule is None
    assert made.command.startswith("highwater run found-1-small")


@pytest.mark.parametrize(
    "told",
    [
        7, [], {"origin": {"replays": "x"}}, a_schedule({"replays": "x"}, [7]),
        a_schedule({"replays": "x"}, [{"broker": 1}]),
        a_schedule({"replays": "x"}, [{"move": "cut", "before": "leader"}]),
        a_schedule({"replays": "x"}, [{"move": "cut", "danger": -1}]),
        a_schedule({"replays": "x", "shrinking": {"seconds": "long"}}),
    ],
)  # fmt: skip
def test_a_damaged_one_is_said(kip101: ModuleType, tmp_path: Path, told: Any) -> None:
    made = shown(write(kip101, tmp_path, told))

    assert made.schedule is None
    assert any("schedule.json is not as we write it" in each for each in made.problems)


def test_one_that_is_nested_too_deeply_is_said_and_the_page_is_made(
    kip101: ModuleType, tmp_path: Path
) -> None:
    run = write(kip101, tmp_path, a_schedule(ORIGIN))
    (run / "schedule.json").write_text("[" * 100_000 + "]" * 100_000, encoding="utf-8")

    report([run], None, as_json=True)

    page = (run / "report.html").read_text(encoding="utf-8")
    assert "schedule.json is not as we write it: RecursionError" in page


def test_the_page_has_it_and_says_what_is_left_out_of_a_storm(
    kip101: ModuleType, tmp_path: Path
) -> None:
    steps = [{"move": "idle", "wait_ms": number} for number in range(MOST + 3)]
    run = write(kip101, tmp_path, a_schedule({**ORIGIN, "strategy": "<b>"}, [*STEPS, *steps]))

    report([run], None, as_json=True)

    page = (run / "report.html").read_text(encoding="utf-8")

    (block,) = re.findall(r"-schedule\">The schedule</h5>.*?schedule\.json\.", page, re.DOTALL)
    assert block.count("<tr>") == MOST + 1
    assert "5 more steps are in schedule.json" in block
    assert "of seed 1, &lt;b&gt;" in block
    assert "leader HW=LEO<br>log=leader<br>log=leader" in block


def test_a_replay_says_that_it_rests_on_a_schedule() -> None:
    assert as_scenario("x", Schedule(kafka="4.1.1", steps=())).source == SOURCE
