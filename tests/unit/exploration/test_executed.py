"""What a scenario did is a schedule: from the events of its record, as far as they are known."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from highwater.exploration.executed import executed
from highwater.exploration.files import read_schedule, write_schedule
from highwater.exploration.injections import Await, FailOver, Heal, Inject, fault_of
from highwater.exploration.moves import Lead, Prefer, Send
from highwater.exploration.scenarios import as_scenario
from highwater.exploration.searched import SEARCHED
from highwater.exploration.steps import Schedule, Step, Taken
from highwater.faults.hold_answers import HoldAnswers
from highwater.faults.power_loss import PowerLoss
from highwater.harness.errors import UsageError
from highwater.harness.model import TopicPartition
from highwater.scenarios.catalogue import find_scenario
from highwater.scheduled import held_in

SCENARIO = find_scenario("kafka7128-isr-expansion-no-crash")
WHERE = TopicPartition("mine-1")
HELD = "HoldAnswers(leader=1, follower=2, after_records=False, deliver=False)"
LOST = f"PowerLoss(broker=1, where={WHERE!r}, log_end_offset=3)"
SEEN = {
    "log_end_offsets": {"1": 5, "2": None},
    "high_watermarks": {"1": 4, "2": None},
    "leader": 1,
}


def event(kind: str, text: str = "", **more: Any) -> Mapping[str, Any]:
    return {"at_ns": 1, "kind": kind, "text": text, **more}


def fault(text: str, phase: str) -> Mapping[str, Any]:
    return event("fault", text, fault=text, phase=phase, id=1)


def a_run(path: Path, *events: Mapping[str, Any], **told: Any) -> Path:
    identity = {"schema": 2, "kafka": "2.0.0", "topic": "mine-1", "control": None, "topics": {}}
    identity |= told
    (path / "run.json").write_text(json.dumps(identity), encoding="utf-8")
    lines = "".join(json.dumps(each) + "\n" for each in events)
    (path / "events.jsonl").write_text(lines, encoding="utf-8")
    return path


def moves(path: Path, *events: Mapping[str, Any]) -> list[Any]:
    return [taken.step.move for taken in executed(a_run(path, *events), SCENARIO).steps]


def test_requests_elections_faults_and_what_was_seen_are_steps(tmp_path: Path) -> None:
    found = moves(
        tmp_path,
        event("step", "replicas of mine-1-0 in order of preference: (2, 3, 1)"),
        event("send", "sent", records=10, acks="all"),
        event("step", "one request to broker 1: 3 records with acks=1"),
        fault(HELD, "opened"),
        event("precondition", "all as it should be", met=True, observed=SEEN),
        event("precondition", "and again", met=True, observed=SEEN),
        event("step", "preferred leader election: 2 shall lead mine-1-0"),
        event("metadata", "broker 3 is the controller now", controller=3),
        fault(HELD, "closed"),
    )

    assert found == [
        Prefer(2),
        Send(10, "all"),
        Send(3, "1"),
        Inject(HELD),
        Await(1, "1:5", "1:4"),
        Lead(2),
        FailOver(),
        Heal(HELD),
    ]


def test_what_was_done_twice_is_done_twice(tmp_path: Path) -> None:
    sent = event("step", "one request to broker 1: 5 records with acks=1")
    over = event("metadata", "broker 3 is the controller now", controller=3)

    assert moves(tmp_path, sent, sent, over, over) == [
        Send(5, "1"), Send(5, "1"), FailOver(), FailOver(),
    ]  # fmt: skip


def test_what_is_not_known_or_of_another_partition_or_after_the_end_is_left_out(
    tmp_path: Path,
) -> None:
    found = moves(
        tmp_path,
        event("step", "preferred leader election: 2 shall lead other-1-0"),
        event("precondition", "it did not come", met=False, observed=SEEN),
        fault("Aimed(at=Leader(where=x), fault=<class 'Kill'>)", "opened"),
        fault("NoSuchFault(broker=1)", "opened"),
        event("send", "sent", records=1, acks="0"),
        event("step", "healing everything that is still open"),
        fault(HELD, "closed"),
    )

    assert found == []


def test_a_fault_is_read_from_its_text_and_means_the_partition_that_is_played_on(
    tmp_path: Path,
) -> None:
    (lost,) = moves(tmp_path, fault(LOST, "opened"))

    assert fault_of(HELD, WHERE) == HoldAnswers(1, 2, after_records=False)
    assert fault_of(lost.fault, TopicPartition("again-1")) == PowerLoss(
        1, TopicPartition("again-1"), 3
    )


def test_held_answers_stand_on_the_timeline_without_a_topic_where_they_mean_all() -> None:
    of_one = HoldAnswers(1, 2, after_records=False, topic="orders")

    assert repr(HoldAnswers(1, 2, after_records=False)) == HELD
    assert repr(of_one) == f"{HELD[:-1]}, topic='orders')"
    assert fault_of(repr(of_one), WHERE) == of_one


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Kill",
        "Kill(1)",
        "Kill(broker=print(1))",
        "Kill(broker=1); x",
        "Path(a=1)",
        "os.abort()",
    ],
)
def test_what_is_no_fault_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="expected a fault such as"):
        Inject(text)


@pytest.mark.parametrize("offsets", ["1", "1:", "1:2,2:3", "one:2"])
def test_what_are_no_offsets_is_refused(offsets: str) -> None:
    with pytest.raises(UsageError, match="expected offsets by broker"):
        Await(1, offsets, "")


def test_a_schedule_of_a_scenario_is_played_in_its_setting(tmp_path: Path) -> None:
    schedule = executed(a_run(tmp_path, event("send", records=1, acks="all")), SCENARIO)
    write_schedule(tmp_path / "schedule.json", schedule)

    again = as_scenario("again", read_schedule(tmp_path / "schedule.json"))

    assert again.broker_settings == SCENARIO.broker_settings != {}
    assert again.topic_settings == SCENARIO.topic_settings
    assert again.settings == SCENARIO.settings
    searched = as_scenario("found", Schedule(kafka="2.0.0", steps=[Taken(Step(Lead(2)))]))
    assert searched.broker_settings == SEARCHED["broker_settings"]


def test_a_setting_of_something_else_is_refused() -> None:
    told = {"schema": 1, "kafka": "4.1.1", "steps": []}

    with pytest.raises(UsageError, match="expected a setting of"):
        Schedule.from_json({**told, "setting": {"colour": "red"}})


def test_what_a_control_changed_is_of_the_setting(tmp_path: Path) -> None:
    changed = {"settings": {"a": "1"}, "topic_settings": {"b": "2"}, "features": {"c": "0"}}
    run = a_run(tmp_path, event("send", records=1, acks="all"), **changed)
    write_schedule(tmp_path / "schedule.json", executed(run, SCENARIO))

    schedule = read_schedule(tmp_path / "schedule.json")
    again = as_scenario("again", schedule)

    assert schedule.setting is not None
    assert {name: schedule.setting[name] for name in changed} == changed
    assert (again.settings, again.topic_settings) == ({"a": "1"}, {"b": "2"})


@pytest.mark.parametrize(("answer", "held"), [("VIOLATED", False), ("HELD", True), ("", False)])
def test_a_run_in_which_nothing_was_violated_is_expected_to_show_nothing(
    tmp_path: Path, answer: str, held: bool
) -> None:
    said = [{"claim": SCENARIO.claims[0], "answer": answer, "considered": 1}]
    run = a_run(tmp_path, event("send", records=1, acks="all"))
    if answer:
        (run / "verdicts.json").write_text(json.dumps({"schema": 1, "verdicts": said}))

    assert held_in(run, executed(run, SCENARIO)) is held
    assert not held_in(tmp_path / "no run", executed(run, SCENARIO))
