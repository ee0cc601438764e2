"""The words of a play: what cannot be is refused before anything happens."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.fake_cluster import FakeCluster

from highwater.harness import evidence
from highwater.harness.errors import UsageError
from highwater.harness.play import Play
from highwater.harness.probes.wire import AnswerError
from highwater.harness.trial import staged
from highwater.harness.workloads.producer import ProducerSettings

WRONG: dict[str, tuple[Callable[[Any], object], str]] = {
    "a replica on True": (lambda play: play.topics[0][0].move_replicas(True, 2), r"saw \(True, 2"),
    "a replica on 1.0": (lambda play: play.topics[0][0].move_replicas(1.0, 2), r"saw \(1.0, 2"),
    "replicas in a list": (lambda play: play.topics[0][0].move_replicas([1, 2]), r"saw \(\[1, 2"),
    "broker True": (lambda play: play.remove_broker(True), "several brokers .* saw True"),
    "broker 1.0": (lambda play: play.remove_broker(1.0), "several brokers .* saw 1.0"),
    "no replica": (lambda play: play.topics[0][0].move_replicas(), r"each once, saw \(\)"),
    "a replica twice": (lambda play: play.topics[0][0].move_replicas(1, 1), r"saw \(1, 1\)"),
    "a replica nowhere": (lambda play: play.topics[0][0].move_replicas(1, 9), r"saw \(1, 9\)"),
    "no time to move": (
        lambda play: play.topics[0][0].move_replicas(1, 2, timeout_s=-1),
        "timeout_s above 0, saw -1",
    ),
    "no number of records": (lambda play: play.topics[0][0].send("a"), "records .* saw 'a'"),
    "no record": (lambda play: play.topics[0][0].send(0), "from 1 on, saw 0"),
    "to nobody": (lambda play: play.topics[0][0].send(1, to=99), "of the brokers .* saw 99"),
    "settings of a consumer": (
        lambda play: play.topics[0][0].send(1, {"acks": "1"}),
        "ProducerSettings, saw {'acks'",
    ),
    "acks of nobody": (
        lambda play: play.topics[0][0].send(1, ProducerSettings(acks="2")),
        "acks to be .* saw '2'",
    ),
    "more partitions than a topic has": (
        lambda play: play.topic("y", partitions=10**9),
        "saw 1000000000; a topic has 1000 at most",
    ),
    "more partitions together": (
        lambda play: play.topics[0].add_partitions(1_000),
        "saw 1000; a topic has 1000 at most",
    ),
    "no partition more": (lambda play: play.topics[0].add_partitions(-1), "from 1 on, saw -1"),
    "no replica at all": (
        lambda play: play.topic("y", replicas=0),
        "1 to 4 replicas .* None .* saw 0",
    ),
    "settings in a list": (lambda play: play.topic("y", settings=["a"]), "settings .* saw"),
    "no partition": (lambda play: play.topic("y", partitions=0), "from 1 on, saw 0"),
    "partitions in words": (lambda play: play.topic("y", partitions="3"), "from 1 on, saw '3'"),
    "replicas in words": (lambda play: play.topic("y", replicas="2"), "1 to 4 replicas .* saw '2'"),
    "a number for a setting": (
        lambda play: play.topic("y", settings={"retention.ms": 1000}),
        "names and values as strings, .* saw {'retention.ms': 1000}",
    ),
    "a name with a space": (lambda play: play.topic("a b"), "topic's name .* saw 'a b'"),
    "no name": (lambda play: play.topic(None), "topic's name .* saw None"),
    "a name again": (lambda play: play.topic(), "new in this play, saw '' again"),
    "no fault": (lambda play: play.heal("x"), r"what play.inject\(\) has returned, saw 'x'"),
    "no voter": (lambda play: play.await_quorum_leader("1"), "of the voters .* saw '1'"),
}


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeCluster:
    monkeypatch.setattr(evidence, "read_to_end", lambda _source, wheres: dict.fromkeys(wheres, 0))
    return FakeCluster(tmp_path / "cluster")


@pytest.mark.parametrize(("ask", "why"), WRONG.values(), ids=WRONG)
def test_what_cannot_be_is_refused(
    ask: Callable[[Play], object], why: str, cluster: FakeCluster, tmp_path: Path
) -> None:
    with staged(cluster, tmp_path / "run", {"topic": "orders"}) as stage:  # type: ignore[arg-type]
        stage.play.topic()
        with pytest.raises(UsageError, match=f"expected .*{why}"):
            ask(stage.play)

    assert [*cluster.created] == ["orders"]


def test_a_topic_that_kafka_refuses_is_none_of_the_play(
    cluster: FakeCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(topic: str, *_how: object) -> None:
        raise AnswerError(f"creating {topic}", 40, "many is no number")

    with staged(cluster, tmp_path / "run", {"topic": "orders"}) as stage:  # type: ignore[arg-type]
        stage.play.topic()
        monkeypatch.setattr(cluster, "create_topic", refuse)
        with pytest.raises(AnswerError, match=r"error 40 \(INVALID_CONFIG\): many is no number"):
            stage.play.topic("late", settings={"min.insync.replicas": "many"})
        assert [topic.name for topic in stage.play.topics] == ["orders"]

    assert stage.played is not None
    assert stage.played.complete
