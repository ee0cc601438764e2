"""What a replay says of steps that were not taken, and that it keeps those that were."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from tests.fake_cluster import FakeCluster

from highwater.exploration import ground
from highwater.exploration.files import read_schedule
from highwater.exploration.ground import Ground
from highwater.exploration.moves import Send
from highwater.exploration.scenarios import SCHEDULE, as_scenario, require_taken
from highwater.exploration.steps import Move, Schedule, Step, Taken
from highwater.exploration.storms import Idle
from highwater.exploration.transacting import Claim, End, Write
from highwater.exploration.views import View
from highwater.exploration.walk import Walk, following, walk
from highwater.harness.errors import InfrastructureError, PreconditionError
from highwater.harness.play import Play
from highwater.harness.record.writer import RunRecord
from highwater.harness.versions.catalogue import find_kafka

OLD = find_kafka("0.10.2.2")
NOBODY_KNOWS = View(partition=None, ends={}, marks={}, logs={})


def walked(*moves: Move) -> tuple[Walk, list[Step]]:
    """On a Kafka without transactions, where nobody leads."""
    steps = [Step(each) for each in moves]
    ground = SimpleNamespace(kafka=OLD, calm=lambda: NOBODY_KNOWS, soon=lambda *_: None)
    return walk(cast("Ground", ground), following(steps)), steps


def test_a_replay_that_could_take_no_step_says_which_and_on_which_kafka() -> None:
    done, steps = walked(Claim(1), Write(1, 2), Send(1, "all"))

    with pytest.raises(PreconditionError) as refused:
        require_taken(done, steps, OLD)

    assert str(refused.value) == (
        "no step of the schedule could be played on Kafka 0.10.2.2: "
        "claim(producer=1); write(producer=1, records=2); send(records=1, acks=all)"
    )


def test_of_a_long_schedule_the_first_steps_are_named() -> None:
    done, steps = walked(*(End(each, commit=True) for each in range(1, 40)))

    with pytest.raises(PreconditionError, match=r"producer=5, commit=True\) and 34 more$"):
        require_taken(done, steps, OLD)


def test_one_step_that_was_taken_is_enough() -> None:
    done, steps = walked(Claim(1), Idle(0))

    require_taken(done, steps, OLD)

    assert [each.step for each in done.taken] == steps[1:]


def test_a_step_that_did_not_fit_is_known() -> None:
    done, _ = walked(Idle(0), Send(1, "all"), Idle(1))

    assert done.left_out == ["send(records=1, acks=all)"]
    assert done.lacking == []


def test_steps_that_were_taken_are_kept_though_what_comes_after_them_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ground, "SETTLED_S", 0.1)
    cluster: Any = FakeCluster(tmp_path / "cluster")
    cluster.kafka = find_kafka("4.1.1")
    run, steps = tmp_path / "run", [Taken(Step(Idle(0))), Taken(Step(Idle(1)))]
    replayed = as_scenario("again", Schedule(kafka="4.1.1", steps=steps))

    with RunRecord(run, {}) as record, Play(cluster, record, "orders") as play:
        partition = play.topic()[0]
        cluster.there.clear()  # nobody answers any more: they are to be killed and started again
        cluster.steps.failing = cluster.steps.taken + 1
        with pytest.raises(InfrastructureError, match="a step failed"):
            replayed.play(play, partition)

    kept = read_schedule(run / SCHEDULE)
    assert [each.step for each in kept.steps] == [each.step for each in steps]
    assert kept.origin == {"replays": "again"}
