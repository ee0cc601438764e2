"""A topic of a play is deleted, and created again: what is refused, and what the record says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.fake_cluster import FakeCluster

from highwater.faults.kill import Kill
from highwater.harness import deletion, evidence
from highwater.harness.errors import DeadlineError, UsageError
from highwater.harness.model import TopicPartition
from highwater.harness.play import Play
from highwater.harness.record.reader import open_run
from highwater.harness.record.writer import RunRecord
from highwater.harness.trial import staged

IDENTITY = {"topic": "orders"}


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeCluster:
    monkeypatch.setattr(evidence, "read_to_end", lambda _source, wheres: dict.fromkeys(wheres, 0))
    return FakeCluster(tmp_path / "cluster")


def test_a_topic_of_a_name_that_was_is_another_one(cluster: FakeCluster, tmp_path: Path) -> None:
    with staged(cluster, tmp_path / "run", IDENTITY) as stage:  # type: ignore[arg-type]
        play = stage.play
        first, other = play.topic(), play.topic("bills")
        first.delete()
        assert [topic.told_as for topic in play.topics] == ["orders-bills"]
        again = play.topic(settings={"retention.ms": "7"})
        again[0].look()

        assert [topic.told_as for topic in play.topics] == ["orders-bills", "orders#2"]
        assert play.partitions == [other[0], again[0]]
        assert play.topic_names == ["orders", "orders-bills"]
        assert again.wheres == [TopicPartition("orders", 0, 2)]

    assert stage.played is not None
    assert stage.played.complete, stage.played.reason
    assert cluster.deleted == ["orders", "orders-bills", "orders"]
    run = open_run(tmp_path / "run")
    assert run.identity["topics"]["orders#2"]["retention.ms"] == "7"
    ends = run.table("replica_ends").to_pylist()
    told = sorted((row["topic"], row["broker"], row["settled"]) for row in ends)
    names = ("orders", "orders#2", "orders-bills")
    assert told == sorted((name, each, True) for name in names for each in (1, 2, 3))
    assert {row["topic"] for row in run.table("replica_states").to_pylist()} == {*names}
    steps = [event["text"] for event in run.events() if event["kind"] == "step"]
    assert "orders is created again; from now on it is orders#2 in this record" in steps


def _attach(play: Play) -> None:
    play.topics[0].attach("load-orders")


def _leave_open(play: Play) -> None:
    play.record.history.sends("p", play.partitions[0].where, "all", range(1, 3)).invoke(
        range(1, 3), [0, 0]
    )


def _stop(play: Play) -> None:
    play.cluster.nodes.terminate(3)


@pytest.mark.parametrize(
    ("happens", "why"),
    [
        (_attach, "orders to have no clients any more .* saw load-orders; leave"),
        (_leave_open, "outcome of all that was sent to orders .* saw that of 2 records missing"),
        (_stop, "all brokers with replicas of orders to run .* saw that 3 does not; start it"),
    ],
)
def test_what_still_lives_is_not_deleted(
    happens: Callable[[Play], None], why: str, cluster: FakeCluster, tmp_path: Path
) -> None:
    with RunRecord(tmp_path / "run", {}) as record:
        play = Play(cluster, record, "orders")  # type: ignore[arg-type]
        topic = play.topic()
        happens(play)

        with pytest.raises(UsageError, match=f"expected .*{why}"):
            topic.delete()
        with pytest.raises(UsageError, match="name that is new in this play, saw '' again"):
            play.topic()

    assert (cluster.deleted, play.topics) == ([], [topic])


Ask = Callable[[Any], object]


@pytest.mark.parametrize(
    "ask",
    [
        lambda topic: topic[0].send(1),
        lambda topic: topic[0].look(),
        lambda topic: topic[0].leader,
        lambda topic: topic[0].move_leader(2),
        lambda topic: topic[0].move_replicas(1, 2),
        lambda topic: topic.add_partitions(),
        lambda topic: topic.delete(),
        lambda topic: topic.attach("late"),
    ],
)
def test_nothing_is_asked_of_a_topic_that_was(
    ask: Ask, cluster: FakeCluster, tmp_path: Path
) -> None:
    with RunRecord(tmp_path / "run", {}) as record:
        play = Play(cluster, record, "orders")  # type: ignore[arg-type]
        topic = play.topic()
        topic.delete()
        play.topic()

        with pytest.raises(UsageError, match=r"orders(-0)? has been deleted"):
            ask(topic)


@pytest.mark.parametrize(
    "ask",
    [
        lambda play, _topic: play.topic("late"),
        lambda play, _topic: play.inject(Kill(1)),
        lambda play, _topic: play.restart(Kill(1)),
        lambda play, _topic: play.rolling_restart(),
        lambda play, _topic: play.add_broker(),
        lambda play, _topic: play.step("late"),
        lambda play, topic: play.load(topic),
        lambda play, topic: play.group("late", topic),
        lambda play, _topic: play.fail_over_controller(),
        lambda _play, topic: topic.attach("late"),  # as clients do that begin
        lambda _play, topic: topic.delete(),
        lambda _play, topic: topic[0].send(1),
        lambda _play, topic: topic[0].look(),
        lambda _play, topic: topic[0].leader,
    ],
)
def test_nothing_is_asked_of_a_play_that_is_over(
    ask: Callable[[Any, Any], object], cluster: FakeCluster, tmp_path: Path
) -> None:
    """Another one is on its cluster by then: a test must not kill the brokers of the next."""
    with staged(cluster, tmp_path / "run", IDENTITY) as stage:  # type: ignore[arg-type]
        topic = stage.play.topic()

    with pytest.raises(UsageError, match="the play is over: expected its words within its test"):
        ask(stage.play, topic)

    assert stage.played is not None
    assert stage.played.complete, stage.played.reason


def test_what_was_read_of_it_is_on_the_disk_before_it_is_gone(
    cluster: FakeCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: list[int] = []
    with RunRecord(tmp_path / "run", {}) as record:
        play = Play(cluster, record, "orders")  # type: ignore[arg-type]
        topic = play.topic()
        record.history.saw("reader", topic[0].where, 0, (1, 7))
        parts = tmp_path / "run" / "history"
        deletes = cluster.delete_topic

        def delete(name: str) -> None:
            kept.append(len([*parts.glob("part-*")]))
            deletes(name)

        monkeypatch.setattr(cluster, "delete_topic", delete)
        topic.delete()

    assert kept == [1]


def test_one_that_does_not_go_is_none_of_the_play_any_more(
    cluster: FakeCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deletion, "GONE_TIMEOUT_S", 0.1)
    monkeypatch.setattr(cluster, "is_free", lambda _topic: False)
    with RunRecord(tmp_path / "run", {}) as record:
        play = Play(cluster, record, "orders")  # type: ignore[arg-type]
        topic = play.topic()

        with pytest.raises(DeadlineError, match="orders to be gone"):
            topic.delete()

        assert play.topics == []  # what it held is on the record, and is not told twice


def test_who_does_not_run_is_not_waited_for_when_a_topic_is_created(
    cluster: FakeCluster, tmp_path: Path
) -> None:
    with RunRecord(tmp_path / "run", {}) as record:
        play = Play(cluster, record, "orders")  # type: ignore[arg-type]
        cluster.terminate(3)
        cluster.isr = (1, 2)

        assert play.topic()[0].replicas == (1, 2, 3)


def test_what_a_gate_saw_is_of_the_topic_that_had_the_name_then(tmp_path: Path) -> None:
    with RunRecord(tmp_path / "run", {}) as record:
        before_ns = record.now_ns()
        record.names("orders", "orders#2")
        after_ns = record.now_ns()

        assert record.name_of("orders", before_ns) == "orders"
        assert record.name_of("orders", after_ns) == "orders#2"
        assert record.name_of("bills", after_ns) == "bills"


def test_tables_that_are_written_topic_by_topic_have_no_two_files_alike(tmp_path: Path) -> None:
    row = {
        "broker": 1, "topic": "orders", "partition": 0, "leader_epoch": 0, "start_offset": 0
    }  # fmt: skip
    with RunRecord(tmp_path / "run", {}) as record:
        for rows in ([], [], [row], [], [{**row, "topic": "orders#2"}]):
            record.table("epoch_checkpoints", rows)

    told = open_run(tmp_path / "run").table("epoch_checkpoints").to_pylist()
    assert [each["topic"] for each in told] == ["orders", "orders#2"]
    assert len([*(tmp_path / "run" / "epoch_checkpoints").iterdir()]) == 3


def test_ends_are_told_when_all_of_the_logs_are(
    cluster: FakeCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_arguments: object) -> object:
        raise KeyboardInterrupt

    monkeypatch.setattr(evidence, "log_parts", killed)
    with RunRecord(tmp_path / "run", {}) as record:
        play = Play(cluster, record, "orders")  # type: ignore[arg-type]
        topic = play.topic()

        with pytest.raises(KeyboardInterrupt):
            topic.delete()

    assert (cluster.deleted, len(open_run(tmp_path / "run").table("replica_ends"))) == ([], 0)
