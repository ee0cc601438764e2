"""Topics and partitions are created by the metadata, and are there when somebody leads them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from highwater.harness.cluster import LINKS, Cluster
from highwater.harness.model import TopicPartition
from highwater.harness.wait import wait_until


def create_topic(
    cluster: Cluster,
    topic: str,
    assignments: Sequence[Sequence[int]],
    settings: Mapping[str, str],
) -> None:
    """A topic with these replicas of each partition; returns when its metadata is there."""
    cluster.metadata.create_topic(topic, assignments, settings)
    _await_leaders(cluster, topic, range(len(assignments)))
    topic_id = cluster.metadata.topic_id(topic)
    if topic_id is not None and LINKS in cluster.has:  # Fetch v13 and newer name topics by id
        cluster.gate.topic_id(topic, topic_id)


def add_partitions(
    cluster: Cluster, topic: str, first: int, assignments: Sequence[Sequence[int]]
) -> None:
    """More partitions with these replicas, the first of them of this number; then all are led.

    Raises InfrastructureError for what a controller refuses.
    """
    cluster.metadata.add_partitions(topic, first, assignments)
    _await_leaders(cluster, topic, range(first, first + len(assignments)))


def _await_leaders(cluster: Cluster, topic: str, numbers: range) -> None:
    wheres = [TopicPartition(topic, number) for number in numbers]

    def all_are_led() -> bool:
        states = cluster.metadata.partitions(wheres)
        return all(where in states and states[where].leader >= 0 for where in wheres)

    wait_until(all_are_led, f"each partition of {topic} to have a leader")
