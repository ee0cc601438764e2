"""A trial's life: every step is taken, whatever has become of the others, and nothing is lost."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from tests.fake_cluster import FakeCluster

from highwater.faults.kill import Kill
from highwater.faults.pause import Pause
from highwater.harness import closing, evidence, patience
from highwater.harness.errors import DeadlineError, Interrupted, PreconditionError, UsageError
from highwater.harness.model import Proof, TopicPartition
from highwater.harness.probes.wire import AnswerError
from highwater.harness.record.reader import open_run
from highwater.harness.trial import Stage, not_played, played_before, staged


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that nobody has told to end, and a topic that is read in no time."""
    monkeypatch.setattr(patience, "_state", patience._State())
    monkeypatch.setattr(evidence, "read_to_end", lambda _source, wheres: dict.fromkeys(wheres, 0))


@pytest.fixture
def cluster(tmp_path: Path) -> FakeCluster:
    return FakeCluster(tmp_path / "cluster")


@dataclass(frozen=True)
class Stubborn:
    """A fault that cannot be healed."""

    @contextmanager
    def inject(self, _cluster: Any) -> Generator[Proof]:
        try:
            yield Proof({})
        finally:
            raise DeadlineError("broker 1 did not come back")


def perform(cluster: Any, path: Path, act: Callable[[Stage], object]) -> Stage:
    with staged(cluster, path, {"topic": "orders"}) as stage:
        stage.play.topic()
        act(stage)
    return stage


def raising(error: BaseException) -> Callable[[Stage], None]:
    def act(_stage: Stage) -> None:
        raise error

    return act


def texts(path: Path) -> list[str]:
    return [str(event["text"]) for event in open_run(path).events()]


def played(path: Path) -> Any:
    return json.loads((path / "run.json").read_text())["played"]


def test_a_play_that_goes_well_is_complete_and_its_cluster_is_used_again(
    cluster: FakeCluster, tmp_path: Path
) -> None:
    stage = perform(cluster, tmp_path / "run", lambda stage: stage.play.step("act"))

    assert stage.played is not None
    assert (stage.played.complete, stage.played.cluster_usable) == (True, True)
    assert cluster.deleted == ["orders"]
    assert (tmp_path / "run" / "replica_ends").is_dir()
    assert sorted(each.name for each in (tmp_path / "run" / "brokers").iterdir()) == [
        "1", "100", "101", "102", "2", "3", "4",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (PreconditionError("the state did not come"), "the state did not come"),
        (
            AnswerError("reassigning t-0", 41),
            "reassigning t-0 was answered with error 41 (NOT_CONTROLLER)",
        ),
        (TimeoutError("ZooKeeper does not answer"), "TimeoutError: ZooKeeper does not answer"),
        (LookupError("no live broker knows t-0"), "LookupError: no live broker knows t-0"),
        (EOFError(), "EOFError"),
    ],
)
def test_what_the_environment_does_makes_one_trial_inconclusive(
    cluster: FakeCluster, tmp_path: Path, error: Exception, reason: str
) -> None:
    stage = perform(cluster, tmp_path / "run", raising(error))

    assert stage.played is not None
    assert (stage.played.complete, stage.played.reason) == (False, reason)
    assert stage.played.cluster_usable, "it has settled all the same"
    assert played(tmp_path / "run")["reason"] == reason
    assert f"inconclusive: {reason}" in texts(tmp_path / "run")


@pytest.mark.parametrize("error", [Interrupted(), KeyboardInterrupt(), AssertionError("1 is 2")])
def test_an_interruption_and_a_bug_come_out_though_healing_fails(
    cluster: FakeCluster, tmp_path: Path, error: BaseException
) -> None:
    def act(stage: Stage) -> None:
        stage.play.inject(Stubborn())
        raise error

    with pytest.raises(type(error)) as raised:
        perform(cluster, tmp_path / "run", act)

    assert raised.value is error
    assert "besides: broker 1 did not come back" in error.__notes__
    assert played(tmp_path / "run")["reason"].startswith(f"interrupted by {type(error).__name__}")
    assert "also: healing: broker 1 did not come back" in texts(tmp_path / "run")
    assert not (tmp_path / "run" / "replica_ends").exists(), "no evidence is waited for"
    assert (tmp_path / "run" / "brokers" / "1" / "server.properties").exists()


def test_a_topic_has_the_least_in_sync_that_its_brokers_have_unless_told_otherwise(
    cluster: FakeCluster, tmp_path: Path
) -> None:
    cluster.spec = replace(cluster.spec, settings={"min.insync.replicas": "1"})

    def act(stage: Stage) -> None:
        stage.play.topic("told", settings={"min.insync.replicas": "3"})

    perform(cluster, tmp_path / "run", act)

    least = {name: each["min.insync.replicas"] for name, each in cluster.created.items()}
    assert least == {"orders": "1", "orders-told": "3"}


def test_a_cluster_whose_brokers_have_changed_is_not_used_again_and_who_joined_is_on_the_record(
    cluster: FakeCluster, tmp_path: Path
) -> None:
    def act(stage: Stage) -> None:
        stage.play.remove_broker(stage.play.add_broker())

    stage = perform(cluster, tmp_path / "run", act)

    assert stage.played is not None
    assert (stage.played.complete, stage.played.cluster_usable) == (True, False)
    assert (tmp_path / "run" / "brokers" / "5" / "server.properties").exists()


def test_no_broker_leaves_that_is_needed_or_is_none(cluster: FakeCluster, tmp_path: Path) -> None:
    def act(stage: Stage) -> None:
        with pytest.raises(UsageError, match=r"broker 3 to have no replica, saw those of orders-0"):
            stage.play.remove_broker(3)
        with pytest.raises(UsageError, match=r"one of several brokers \(1, 2, 3, 4\), saw 5"):
            stage.play.remove_broker(5)

    stage = perform(cluster, tmp_path / "run", act)

    assert stage.played is not None
    assert stage.played.cluster_usable


def test_a_cluster_with_a_fault_that_did_not_heal_is_not_used_again(
    cluster: FakeCluster, tmp_path: Path
) -> None:
    stage = perform(cluster, tmp_path / "run", lambda stage: stage.play.inject(Stubborn()))

    assert stage.played is not None
    assert not stage.played.cluster_usable
    assert stage.played.reason == "healing: broker 1 did not come back"


def test_a_file_that_cannot_be_kept_is_told_and_the_trial_has_its_ending(
    cluster: FakeCluster, tmp_path: Path
) -> None:
    cluster.files.properties(1).unlink()

    stage = perform(cluster, tmp_path / "run", raising(PreconditionError("not so")))

    assert stage.played is not None
    assert played(tmp_path / "run")["reason"] == "not so"
    told = [text for text in texts(tmp_path / "run") if text.startswith("also: keeping brokers'")]
    assert len(told) == 1
    assert "FileNotFoundError" in told[0]
    assert (tmp_path / "run" / "brokers" / "1" / "server.log").exists()
    assert (tmp_path / "run" / "brokers" / "2" / "server.properties").exists()


def test_a_read_that_fails_hides_no_replica(
    cluster: FakeCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read_to_end(_source: object, _wheres: object) -> dict[TopicPartition, int]:
        raise ConnectionError("no broker answers")

    monkeypatch.setattr(evidence, "read_to_end", read_to_end)

    stage = perform(cluster, tmp_path / "run", lambda _stage: None)

    assert stage.reason == "ConnectionError: no broker answers"
    ends = open_run(tmp_path / "run").table("replica_ends").to_pylist()
    assert [(row["broker"], row["settled"]) for row in ends] == [(1, False), (2, False), (3, False)]


def test_a_topic_that_cannot_be_deleted_costs_the_cluster_and_not_the_trial(
    cluster: FakeCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def delete_topic(topic: str) -> None:
        raise TimeoutError(f"{topic} stays")

    monkeypatch.setattr(cluster, "delete_topic", delete_topic)

    stage = perform(cluster, tmp_path / "run", lambda _stage: None)

    assert stage.played is not None
    assert (stage.played.complete, stage.played.cluster_usable) == (True, False)
    assert "a topic was not deleted: TimeoutError: orders stays" in texts(tmp_path / "run")


def test_a_signal_while_a_trial_settles_ends_it_with_its_record_written(
    cluster: FakeCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(closing, "settle", lambda _play: patience.interrupt())

    with pytest.raises(Interrupted):
        perform(cluster, tmp_path / "run", lambda _stage: None)

    assert played(tmp_path / "run")["reason"] == "interrupted by Interrupted"
    assert played_before(tmp_path / "run") is None, "whoever goes on plays it anew"
    assert (tmp_path / "run" / "brokers" / "1" / "server.log").exists()


def test_one_that_is_interrupted_while_it_collects_is_played_anew_as_well(
    cluster: FakeCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(closing, "collect", lambda _play, settled: patience.interrupt())

    with pytest.raises(Interrupted):
        perform(cluster, tmp_path / "run", lambda _stage: None)

    assert played(tmp_path / "run")["reason"] == "collecting: interrupted by Interrupted"
    assert played_before(tmp_path / "run") is None


def test_a_trial_that_could_not_begin_has_a_record_that_says_why(tmp_path: Path) -> None:
    not_played(tmp_path / "run", {"topic": "orders"}, "no cluster: the broker ended by itself")

    before = played_before(tmp_path / "run")
    assert before is not None
    assert (before.complete, before.reason) == (False, "no cluster: the broker ended by itself")


class Patient(FakeCluster):
    """Says for which brokers somebody has waited."""

    def __init__(self, directory: Path) -> None:
        super().__init__(directory)
        self.awaited: list[int] = []

    def await_serving(self, broker: int) -> None:
        self.awaited.append(broker)


def test_healing_one_fault_does_not_wait_for_who_is_frozen_by_another(tmp_path: Path) -> None:
    cluster = Patient(tmp_path / "cluster")
    awaited: list[list[int]] = []

    def act(stage: Stage) -> None:
        frozen, dead = stage.play.inject(Pause(1)), stage.play.inject(Kill(2))
        for each in (dead, frozen):
            stage.play.heal(each)
            awaited.append([*cluster.awaited])
            cluster.awaited.clear()

    perform(cluster, tmp_path / "run", act)

    assert awaited == [[2, 3], [1, 2, 3]]
