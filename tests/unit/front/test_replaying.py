"""What a replay is called, where it is played, and where it cannot be."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from highwater.backends import Backend
from highwater.cells import Cell
from highwater.cli import app
from highwater.exploration.files import write_schedule
from highwater.exploration.hardware import Engross
from highwater.exploration.injections import FailOver, Inject
from highwater.exploration.moves import Send
from highwater.exploration.numbering import SendOnce
from highwater.exploration.quorums import Deafen, Depose, HoldIsr
from highwater.exploration.steps import Move, Schedule, Step, Taken
from highwater.exploration.transacting import Claim
from highwater.harness.errors import UsageError
from highwater.harness.versions.catalogue import find_kafka
from highwater.replaying import explain


@pytest.mark.parametrize(
    ("origin", "function"),
    [
        ({"replays": "found-1-small"}, "found_1_small"),
        ({"scenario": "kip101-loss-strict"}, "kip101_loss_strict_again"),
        ({"scenario": "kip101-loss-strict", "replays": "kip101-loss-strict-again"},
         "kip101_loss_strict_again"),
        ({"replays": "../../outside"}, "outside"),
        ({"replays": 7}, "the_run"),
    ],
)  # fmt: skip
def test_a_replay_of_a_replay_has_its_name(
    tmp_path: Path, origin: dict[str, object], function: str
) -> None:
    """And not that of the directory, which is the number of a trial."""
    run = tmp_path / "the-run"
    run.mkdir()
    steps = [{"move": "send", "records": 1, "acks": "all"}]
    told = {"schema": 1, "kafka": "4.1.1", "steps": steps, "origin": origin}
    (run / "schedule.json").write_text(json.dumps(told), encoding="utf-8")

    assert f"def {function}(" in explain(run)


@pytest.mark.parametrize(
    ("fault", "backend", "why"),
    [
        ("Disconnect(broker=1)", "process", "a process has no network of its own"),
        ("JumpClock(broker=1, shift_s=60)", "docker", "needs a cluster with fake_clock=True"),
    ],
)
def test_a_schedule_is_refused_where_its_faults_cannot_be(
    tmp_path: Path, fault: str, backend: str, why: str
) -> None:
    steps = [{"move": "inject", "fault": fault}]
    told = {"schema": 1, "kafka": "4.1.1", "claims": ["lost-write"], "steps": steps}
    (tmp_path / "schedule.json").write_text(json.dumps(told), encoding="utf-8")

    words = ["replay", str(tmp_path), "--backend", backend]
    shown = CliRunner().invoke(app, words)

    assert isinstance(shown.exception, UsageError)
    assert "schedule.json cannot be played" in str(shown.exception)
    assert why in str(shown.exception)


@pytest.mark.parametrize(
    "step", [{"move": "blind", "broker": 2}, {"move": "hold_isr", "broker": 1}, {"move": "depose"}]
)
def test_moves_around_voters_are_refused_where_links_to_these_have_no_gate(
    tmp_path: Path, step: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The step would fail, and the replay show nothing of what it is about."""
    told = {"schema": 1, "kafka": "4.4.0", "claims": ["lost-write"], "steps": [step]}
    (tmp_path / "schedule.json").write_text(json.dumps(told), encoding="utf-8")
    monkeypatch.setattr("highwater.replaying.play_cells", lambda _cells, _options: 0)

    shown = CliRunner().invoke(app, ["replay", str(tmp_path)])

    assert isinstance(shown.exception, UsageError), shown.exception
    assert "needs a cluster with gated_metadata=True" in str(shown.exception)


@pytest.mark.parametrize(
    ("told", "why"),
    [
        ({"setting": {"voters": 2}}, "a cluster has one voter or three, not 2"),
        ({"setting": {"replicas": 4}}, "expected 1 to 3 replicas on this cluster"),
        ({"setting": {"replicas": "x"}}, "expected a setting as scenarios say it, saw replicas"),
        ({"setting": {"speed": 1}}, "expected a setting of replicas, voters"),
        ({"steps": [{"move": "fly"}]}, "expected a move of"),
        ({"claims": ["lost-right"]}, "no claim lost-right"),
        ({"kafka": "9.9"}, "no Kafka '9.9' in the catalogue"),
        ({"kafka": "all"}, "no Kafka 'all' in the catalogue"),
    ],
)
def test_what_a_schedule_says_wrongly_is_refused_with_its_file(
    tmp_path: Path, told: dict[str, object], why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before anything starts; of several files nobody would know which one it is."""
    steps = [{"move": "send", "records": 1, "acks": "all"}]
    path = tmp_path / "hand-written.json"
    path.write_text(json.dumps({"schema": 1, "kafka": "4.1.1", "steps": steps, **told}), "utf-8")
    monkeypatch.setattr("highwater.replaying.play_cells", lambda _cells, _options: 0)

    shown = CliRunner().invoke(app, ["replay", str(path)])

    assert isinstance(shown.exception, UsageError), shown.exception
    assert str(shown.exception).startswith(str(path))
    assert why in str(shown.exception)


def test_a_kafka_that_is_none_is_refused_where_others_are_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody could say whether what is played is as expected: only where it was found it is."""
    steps = [{"move": "send", "records": 1, "acks": "all"}]
    path = tmp_path / "found.json"
    path.write_text(json.dumps({"schema": 1, "kafka": "trunk", "steps": steps}), "utf-8")
    monkeypatch.setattr("highwater.replaying.play_cells", lambda _cells, _options: 0)

    shown = CliRunner().invoke(app, ["replay", str(path), "-k", "4.1.1"])

    assert isinstance(shown.exception, UsageError), shown.exception
    assert str(shown.exception).startswith(f"{path} cannot be played: '==trunk' is not a bound")


@pytest.mark.parametrize(
    ("found_on", "words"), [("all", []), ("ladder", []), ("4.1.1", ["-k", "all"])]
)
def test_a_schedule_is_made_small_on_one_kafka(
    tmp_path: Path, found_on: str, words: list[str]
) -> None:
    """Names of several Kafkas at once are no Kafka, whoever says them."""
    steps = [{"move": "send", "records": 1, "acks": "all"}]
    path = tmp_path / "found.json"
    path.write_text(json.dumps({"schema": 1, "kafka": found_on, "steps": steps}), "utf-8")

    shown = CliRunner().invoke(app, ["shrink", str(path), *words])

    assert isinstance(shown.exception, UsageError), shown.exception
    assert f"no Kafka '{words[-1] if words else found_on}'" in str(shown.exception)
    assert str(shown.exception).startswith(str(path)) == (not words)


def test_a_replay_is_played_where_it_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = [{"move": "send", "records": 1, "acks": "all"}]
    told = {"schema": 1, "kafka": "4.1.1", "claims": ["lost-write"], "steps": steps}
    (tmp_path / "schedule.json").write_text(json.dumps(told), encoding="utf-8")
    played: list[Cell] = []
    monkeypatch.setattr(
        "highwater.replaying.play_cells", lambda cells, _options: played.extend(cells)
    )

    words = ["replay", str(tmp_path), "--backend", "docker", "--image", "apache/kafka:4.1.1"]
    CliRunner().invoke(app, words, catch_exceptions=False)

    assert [each.backend for each in played] == [Backend("docker", "apache/kafka:4.1.1")]


@pytest.mark.parametrize("command", ["replay", "shrink"])
@pytest.mark.parametrize(
    ("kafka", "move"),
    [
        ("0.10.2.2", Claim(1)),
        ("0.10.2.2", SendOnce(1, 2)),
        ("3.9.1-zk", Depose()),
        ("3.9.1-zk", HoldIsr(2)),
        ("3.9.1", Engross(2)),
        ("4.4.0", Deafen(2)),
        ("4.4.0", FailOver()),
        ("4.4.0", Inject("HoldOrders(broker=2, controller=1)")),
        ("2.6.3", Inject("HoldIsrChange(leader=1)")),
    ],
)
def test_a_schedule_is_refused_where_a_step_of_it_can_never_be_taken(
    tmp_path: Path, kafka: str, move: Move, command: str
) -> None:
    """Before a cluster is started for it: without that step the others say nothing."""
    steps = [Taken(Step(Send(1, "all"))), Taken(Step(move))]
    path = tmp_path / "found.json"
    write_schedule(path, Schedule(kafka="2.8.0", steps=steps))

    shown = CliRunner().invoke(app, [command, str(path), "-k", kafka])

    assert isinstance(shown.exception, UsageError), shown.exception
    why = move.why_not(find_kafka(kafka))
    assert bool(why) == (move.name == "inject")
    assert str(shown.exception) == (
        f"{path} cannot be played: expected a Kafka that knows every step of it, saw {kafka}, on "
        f"which there is no {move}{why and f': {why}'}"
    )


def test_of_many_kafkas_those_are_left_out_that_cannot_have_its_steps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "found.json"
    steps = [Taken(Step(Deafen(2))), Taken(Step(Claim(1)))]
    write_schedule(path, Schedule(kafka="2.8.0", steps=steps))
    found: list[Cell] = []
    monkeypatch.setattr(
        "highwater.replaying.play_cells", lambda cells, _options: found.extend(cells)
    )

    shown = CliRunner().invoke(app, ["replay", str(path), "-k", "ladder"], catch_exceptions=False)

    assert {each.kafka.kraft for each in found} == {False}
    assert found[0].kafka.version.startswith("0.11")
    assert "left out, where it cannot be played: 0.10.0.1, " in shown.output.replace("\n", " ")
    words = ["replay", str(path), "-k", "ladder", "-k", "4.4.0"]
    own = CliRunner().invoke(app, words)
    assert "saw 4.4.0, on which there is no deafen" in str(own.exception)
    never = [Taken(Step(Deafen(2))), Taken(Step(HoldIsr(2)))]
    write_schedule(path, Schedule(kafka="2.8.0", steps=never))
    refused = CliRunner().invoke(app, ["replay", str(path), "-k", "ladder"])
    assert "saw 0.10.0.1, on which there is no hold_isr" in str(refused.exception)


@pytest.mark.parametrize(
    ("found_on", "expected"),
    [
        ("3.3.2-zk", ["reproduced", "clean", "clean"]),
        ("3.3.2", ["clean", "reproduced", "clean"]),
        ("3.3.2-kraft", ["clean", "reproduced", "clean"]),
    ],
)
def test_what_is_found_in_one_mode_is_expected_in_no_other_one_of_the_same_release(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, found_on: str, expected: list[str]
) -> None:
    steps = [{"move": "send", "records": 1, "acks": "all"}]
    told = {"schema": 1, "kafka": found_on, "claims": ["lost-write"], "steps": steps}
    (tmp_path / "schedule.json").write_text(json.dumps(told), encoding="utf-8")
    found: list[Cell] = []
    monkeypatch.setattr(
        "highwater.replaying.play_cells", lambda cells, _options: found.extend(cells)
    )
    words = [word for each in ("3.3.2-zk", "3.3.2", "3.4.0") for word in ("-k", each)]

    CliRunner().invoke(app, ["replay", str(tmp_path), *words], catch_exceptions=False)

    assert [each.expected for each in found] == expected
