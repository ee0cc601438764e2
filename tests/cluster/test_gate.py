"""The gate between real brokers: what it names is what they do."""

from __future__ import annotations

from collections.abc import Callable

from highwater.faults.watch_fetches import WatchFetches
from highwater.harness.creation import create_topic
from highwater.harness.gate.headers import FETCH, OFFSETS_FOR_LEADER_EPOCH
from highwater.harness.gate.rules import Action, Match, Rule
from highwater.harness.kafka_cluster import KafkaCluster
from highwater.harness.model import TopicPartition
from highwater.harness.wait import wait_until

WHERE = TopicPartition("watched")
SAFE = {"min.insync.replicas": "2"}


def _serving(cluster: KafkaCluster) -> KafkaCluster:
    create_topic(cluster, WHERE.topic, [cluster.brokers], SAFE)
    wait_until(lambda: cluster.probe(1).leads(WHERE), "broker 1 to lead")
    return cluster


def test_from_0_11_on_a_new_follower_asks_where_the_epoch_ended(
    start_cluster: Callable[..., KafkaCluster],
) -> None:
    cluster = _serving(start_cluster("0.11.0.3"))
    match = Match(stage="request", apis=(OFFSETS_FOR_LEADER_EPOCH,), leader=2, follower=1)
    asked = cluster.gate.add(Rule(match, Action("watch")))

    cluster.metadata.reassign(WHERE, (2, 1, 3))
    cluster.metadata.elect_preferred(WHERE)

    assert asked.seen(30, follower=1)["api"] == OFFSETS_FOR_LEADER_EPOCH


def test_before_0_11_nobody_asks_for_epochs(start_cluster: Callable[..., KafkaCluster]) -> None:
    cluster = _serving(start_cluster("0.10.2.2"))
    asked = cluster.gate.add(Rule(Match(apis=(OFFSETS_FOR_LEADER_EPOCH,)), Action("watch")))
    fetched = cluster.gate.add(Rule(Match(apis=(FETCH,), leader=2, follower=1), Action("watch")))

    cluster.metadata.reassign(WHERE, (2, 1, 3))
    cluster.metadata.elect_preferred(WHERE)

    fetched.seen(30, follower=1)
    assert asked.counters()["matched"] == 0


def test_fetches_that_name_topics_by_id_are_watched_by_name(
    start_cluster: Callable[..., KafkaCluster],
) -> None:
    cluster = _serving(start_cluster("4.1.1"))

    with WatchFetches(WHERE).inject(cluster) as watched:
        seen = watched.rule.seen(30)

    assert seen["api_version"] >= 13
    assert seen["partitions"][0]["topic"] == WHERE.topic
