"""What a search is asked for, what it writes down, and what it learns from that again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import cast

import pytest
from typer.testing import CliRunner

from highwater.cli import app
from highwater.commands.schedules import seconds_of
from highwater.exploration.choosing import Guided
from highwater.exploration.findings import Finding
from highwater.exploration.moves import Cut, Send
from highwater.exploration.rounds import Round
from highwater.exploration.steps import Schedule, Step, Taken
from highwater.exploration.topologies import TOPOLOGIES, is_searched, setting_of
from highwater.exploring import Explorer, Search, named
from highwater.harness.errors import UsageError
from highwater.harness.versions.catalogue import find_kafka
from highwater.replaying import explain, shrink
from highwater.rounds import Rounds
from highwater.search_log import (
    Part,
    append,
    logs_beside,
    open_search,
    read_log,
    require_same,
    row_of,
)

LOG = Part().log
TOLD = {"kafka": "0.10.2.2", "seed": 1, "strategy": "guided", "moves": "gentle"}


def a_search(shard: str = "1/1") -> Search:
    return Search(
        kafka="4.1.1", seed=1, budget_s=1.0, strategy="guided", moves="gentle", findings=1,
        trials=0, out=None, offline=True, shard=shard,
    )  # fmt: skip


PLAYED = Round(
    taken=(
        Taken(Step(Cut(2)), ("a",), ("b", "c"), 1),
        Taken(Step(Send(3, "all"), waits=False), ("b", "c"), ("d",), 3),
    ),
    finding=Finding(("lost-write",), "a record is gone", is_settled=False),
    seconds=1.25,
)


@pytest.mark.parametrize(("text", "seconds"), [("90s", 90), ("10m", 600), ("2h", 7200)])
def test_a_budget_is_a_time(text: str, seconds: float) -> None:
    assert seconds_of(text) == seconds


@pytest.mark.parametrize("text", ["", "10", "m", "0s", "-5m", "1.5h", "10 m", "9999999s"])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="expected a time such as 90s, 10m or 2h"):
        seconds_of(text)


def test_a_round_goes_to_the_log_and_comes_back(tmp_path: Path) -> None:
    row = row_of(7, PLAYED, 2, 180.5)
    append(tmp_path, row)
    with (tmp_path / LOG).open("a", encoding="utf-8") as lines:
        lines.write(json.dumps(row)[:80])

    ((number, again),) = read_log(tmp_path / LOG)  # what was cut short is left out

    assert again.taken == list(PLAYED.taken)
    assert again.finding == PLAYED.finding
    assert (number, row["news"], row["danger"]) == (7, 2, 3)
    assert row["resident_mib"] == 180.5


def test_a_line_that_was_cut_short_costs_not_the_next_one(tmp_path: Path) -> None:
    open_search(tmp_path, TOLD)
    (tmp_path / LOG).write_text('{"number": 1, "cl', encoding="utf-8")

    append(open_search(tmp_path, TOLD), row_of(2, PLAYED, 0, 1.0))

    assert [number for number, _ in read_log(tmp_path / LOG)] == [2]


@pytest.mark.parametrize("line", ["{}", "7", '{"number": "x", "claims": [], "steps": []}', "null"])
def test_a_log_of_something_else_is_refused_with_its_line(tmp_path: Path, line: str) -> None:
    (tmp_path / LOG).write_text(line + "\n", encoding="utf-8")

    with pytest.raises(UsageError, match=r"line 1 of .*rounds\.jsonl is of no schedule"):
        list(read_log(tmp_path / LOG))


def test_a_search_goes_on_only_where_it_is_the_same(tmp_path: Path) -> None:
    out = tmp_path / "out"

    assert open_search(out, TOLD) == open_search(out, TOLD) == out

    for other in ({**TOLD, "seed": 2}, {**TOLD, "kafka": "4.1.1"}):
        with pytest.raises(UsageError, match="holds another search"):
            open_search(out, other)


def test_a_search_is_lined_up_only_with_one_that_is_the_same(tmp_path: Path) -> None:
    out = open_search(tmp_path, TOLD)
    with pytest.raises(UsageError, match=r"has no search.json and rounds.jsonl of a search"):
        require_same(out, TOLD)

    append(out, row_of(1, PLAYED, 0, 1.0))
    require_same(out, TOLD)

    with pytest.raises(UsageError, match="holds another search"):
        require_same(out, {**TOLD, "seed": 2})
    with pytest.raises(UsageError, match=r"has no search.json and rounds-1of2.jsonl"):
        require_same(out, TOLD, Part(1, 2))


def test_a_place_that_holds_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    (tmp_path / "compared" / "runs").mkdir(parents=True)

    for place, why in (("", "is not empty"), ("file", "cannot write"), ("compared", "no search")):
        with pytest.raises(UsageError, match=why):
            open_search(tmp_path / place, TOLD)
    assert (tmp_path / "file").read_text(encoding="utf-8") == "mine"


def test_where_nothing_was_searched_there_is_no_log(tmp_path: Path) -> None:
    assert list(read_log(tmp_path / LOG)) == []


def test_parts_of_a_search_have_logs_of_their_own_and_know_those_of_the_others(
    tmp_path: Path,
) -> None:
    first, second = Part(1, 2), Part(2, 2)
    for number, part in ((1, first), (3, first), (2, second)):
        append(open_search(tmp_path, TOLD, part), row_of(number, PLAYED, 0, 1.0), part)

    (beside_second,) = logs_beside(tmp_path, second)

    assert [number for number, _ in read_log(beside_second)] == [1, 3]
    assert [number for number, _ in read_log(tmp_path / second.log)] == [2]


def test_parts_play_each_schedule_once_and_learn_from_one_another(tmp_path: Path) -> None:
    numbers = {}
    for place in (1, 2):
        search = a_search(shard=f"{place}/2")
        append(tmp_path, row_of(place + 2, PLAYED, 0, 1.0), search.part)
    for place in (1, 2):
        guided = Guided()
        search = a_search(shard=f"{place}/2")
        explorer = Explorer(search, find_kafka("4.1.1"), tmp_path, cast("Rounds", None), guided)
        (tmp_path / f"{named(search, 1)}.small.json").touch()
        explorer.resume()
        numbers[place] = explorer.number + search.part.of
        assert explorer.count == 2
        assert guided.seen[("d",)] == 2  # its own, and the other's

    assert numbers == {1: 5, 2: 6}


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["explore", "-k", "0.10.2.2", "--budget", "soon"], "expected a time such as"),
        (["explore", "-k", "0.10.2.2", "--strategy", "wild"], "expected a strategy of"),
        (["explore", "-k", "0.10.2.2", "--moves", "none"], "expected a strategy of"),
        (
            ["explore", "-k", "0.10.2.2", "--moves", "pipelines"],
            "which came with 0.11: on 0.10.2.2",
        ),
        (["explore", "-k", "0.10.2.2", "--shard", "3/2"], "is not a part of a whole"),
        (["explore", "-k", "9.9.9"], "no Kafka '9.9.9'"),
        (["replay", "nothing.json"], "nothing.json is no schedule"),
        (["shrink", "nothing.json"], "nothing.json is no schedule"),
        (["shrink", "nothing.json", "--shrink-budget", "3"], "expected a time such as"),
        (["explore", "--topology", "ring"], "of plain, voters, combined, clocks, patient, saw"),
        (["explore", "--moves", "quorum", "--topology", "plain"], "need the topology voters"),
        (["explore", "-k", "3.9.1-zk", "--topology", "combined"], "combined=True needs KRaft"),
        (["explore", "--shrink-budget", "never"], "expected a time such as"),
        (["explore", "--like", "nowhere"], "nowhere has no search.json"),
    ],
)
def test_bad_input_is_refused_before_anything_starts(words: list[str], told: str) -> None:
    shown = CliRunner().invoke(app, words)

    assert isinstance(shown.exception, UsageError)
    assert told in str(shown.exception)


def test_what_is_found_is_shrunk_for_three_minutes_and_recorded_ten_times(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[Search] = []
    monkeypatch.setattr("highwater.exploring.explore", asked.append)

    CliRunner().invoke(app, ["explore"], catch_exceptions=False)

    assert [(each.trials, each.shrink_s) for each in asked] == [(10, 180.0)]


def test_a_schedule_without_steps_is_refused(tmp_path: Path) -> None:
    empty = {"schema": 1, "kafka": "4.1.1", "claims": [], "told": "", "origin": {}, "steps": []}
    (tmp_path / "schedule.json").write_text(json.dumps(empty), encoding="utf-8")

    with pytest.raises(UsageError, match="has no steps"):
        shrink(tmp_path, None, offline=True)


def test_a_schedule_for_a_cluster_of_its_own_is_not_shrunk_on_another(tmp_path: Path) -> None:
    step = {"move": "send", "records": 1, "acks": "all"}
    told = {"schema": 1, "kafka": "4.1.1", "steps": [step], "setting": {"settings": {"a": "1"}}}
    (tmp_path / "schedule.json").write_text(json.dumps(told), encoding="utf-8")

    with pytest.raises(UsageError, match="settings of its own"):
        shrink(tmp_path, None, offline=True)


def test_a_schedule_on_the_cluster_of_any_search_may_be_shrunk() -> None:
    assert all(is_searched(setting_of(each)) for each in TOPOLOGIES)
    found = Schedule(kafka="4.1.1", steps=(), setting=setting_of("voters"))
    again = Schedule.from_json(json.loads(json.dumps(found.to_json())))

    assert again.setting is not None
    assert is_searched(again.setting)
    assert not is_searched({**again.setting, "replicas": 2})


def test_a_run_without_a_schedule_has_the_one_that_its_timeline_tells(tmp_path: Path) -> None:
    told = {"schema": 2, "kafka": "2.0.0", "topic": "mine", "control": None, "topics": {}}
    run = json.dumps({**told, "scenario": "kip101-loss-strict"})
    (tmp_path / "run.json").write_text(run, encoding="utf-8")
    event = {"at_ns": 1, "kind": "fault", "text": "", "fault": "Kill(broker=1)", "phase": "opened"}
    (tmp_path / "events.jsonl").write_text(json.dumps(event) + "\n", encoding="utf-8")

    text = explain(tmp_path)

    assert "play.inject(Kill(broker=1))" in text
    assert "def kip101_loss_strict_again(" in text


@pytest.mark.parametrize("run", [None, "{}", '{"schema": 2, "scenario": "nobody-knows"}'])
def test_a_directory_that_is_no_run_of_the_catalogue_has_no_schedule(
    tmp_path: Path, run: str | None
) -> None:
    if run is not None:
        (tmp_path / "run.json").write_text(run, encoding="utf-8")

    with pytest.raises(UsageError):
        explain(tmp_path)


def test_a_schedule_with_a_claim_that_nobody_makes_is_refused(tmp_path: Path) -> None:
    steps = [{"move": "send", "records": 1, "acks": "all"}]
    told = {"schema": 1, "kafka": "4.1.1", "claims": ["lost-right"], "steps": steps}
    (tmp_path / "schedule.json").write_text(json.dumps(told), encoding="utf-8")

    with pytest.raises(UsageError, match=r"no claim lost-right; there are: .*lost-write"):
        explain(tmp_path)


@pytest.mark.parametrize("kafka", ["", "4.1", '4.1.1"""', "4.1.1\nimport os", "4.1.1-zk-zk"])
def test_a_schedule_of_no_kafka_that_is_known_is_not_drafted(tmp_path: Path, kafka: str) -> None:
    told = {"schema": 1, "kafka": kafka, "steps": [{"move": "shrink"}]}
    path = tmp_path / "s.json"
    path.write_text(json.dumps(told), encoding="utf-8")

    with pytest.raises(UsageError) as refused:
        explain(path)

    assert str(refused.value).startswith(f"nothing can be drafted of {path}: no Kafka {kafka!r}")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "step",
    [
        {"move": "release", "of": "os.system", "broker": 2, "deliver": True},
        {
            "move": "shrink",
            "seen": {"log_end_offsets": {"1": "__import__('os')"}, "high_watermarks": {}},
        },
    ],
)
def test_a_step_that_would_be_other_words_is_not_drafted(
    tmp_path: Path, step: dict[str, object]
) -> None:
    told = {"schema": 1, "kafka": "4.1.1", "steps": [step]}
    path = tmp_path / "s.json"
    path.write_text(json.dumps(told), encoding="utf-8")

    with pytest.raises(UsageError, match="and nothing can be drafted of it"):
        explain(path)
