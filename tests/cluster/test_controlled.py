"""A cluster with ZooKeeper that is attached: what is changed by asking its controller."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from highwater.harness.attached import AttachedCluster
from highwater.harness.cluster import Metadata
from highwater.harness.kafka_cluster import KafkaCluster
from highwater.harness.model import TopicPartition
from highwater.harness.wait import wait_until

TERMS = 10  # of controllers, between which brokers name one that is none any more
Start = Callable[..., KafkaCluster]


def change_while_the_office_moves(theirs: Metadata, ours: Metadata, topic: str) -> None:
    """By `ours` all that a play changes; before each of it `theirs` elects another controller."""
    first, second = TopicPartition(topic, 0), TopicPartition(topic, 1)
    theirs.fail_over_controller()
    ours.create_topic(topic, [[1, 2]], {"min.insync.replicas": "1"})
    wait_until(lambda: theirs.partition(first).isr == (1, 2), f"{topic} to be there")
    assert ours.topic_id(topic) == theirs.topic_id(topic) is not None
    theirs.fail_over_controller()
    ours.add_partitions(topic, 1, [[2, 3]])
    wait_until(lambda: theirs.partition(second).isr == (2, 3), "one more partition")
    theirs.fail_over_controller()
    ours.reassign(first, [2, 1])
    theirs.fail_over_controller()
    ours.elect_preferred(first)
    wait_until(lambda: ours.partition(first).leader == 2, "another leader")
    wait_until(lambda: ours.partition(first) == theirs.partition(first), "brokers to know all")
    theirs.fail_over_controller()
    ours.delete_topic(topic)
    wait_until(lambda: not ours.has_topic(topic), f"{topic} to be gone")


@pytest.mark.on_demand
@pytest.mark.parametrize("kafka", ["2.8.2", "3.9.1-zk"])
def test_changes_are_made_while_the_office_of_the_controller_moves(
    start_cluster: Start, kafka: str
) -> None:
    cluster = start_cluster(kafka, gated=False, quiet_replication_links=False)
    with AttachedCluster(cluster.kafka, cluster.bootstrap) as attached:
        for term in range(TERMS):
            change_while_the_office_moves(cluster.metadata, attached.metadata, f"orders-{term}")


@pytest.mark.on_demand
def test_a_topic_that_was_given_no_id_has_none(start_cluster: Start) -> None:
    older = {"inter.broker.protocol.version": "2.7"}
    cluster = start_cluster("2.8.2", gated=False, quiet_replication_links=False, settings=older)
    with AttachedCluster(cluster.kafka, cluster.bootstrap) as attached:
        attached.metadata.create_topic("orders", [[1, 2]], {})
        where = TopicPartition("orders", 0)
        wait_until(lambda: cluster.metadata.partition(where).isr == (1, 2), "orders to be there")

        assert cluster.metadata.topic_id("orders") is None
        assert attached.metadata.topic_id("orders") is None
