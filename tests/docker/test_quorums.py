"""Three voters in containers: the one that leads loses its network, and another takes over."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from highwater.faults.aimed import Aimed
from highwater.faults.disconnect import Disconnect
from highwater.faults.voters import QuorumLeader
from highwater.harness.creation import create_topic
from highwater.harness.kafka_cluster import KafkaCluster
from highwater.harness.model import TopicPartition
from highwater.harness.wait import wait_until

ELECTION_TIMEOUT_S = 60.0


@pytest.mark.on_demand
@pytest.mark.parametrize("kafka", ["4.1.1", "0.10.2.2"])
def test_a_voter_without_a_network_is_replaced_and_follows_when_it_is_back(
    start_cluster: Callable[..., KafkaCluster], kafka: str
) -> None:
    cluster = start_cluster(kafka, voters=3)
    led = cluster.nodes.quorum_leader()

    with Aimed(QuorumLeader(), Disconnect).inject(cluster) as gone:
        what = f"another voter than {led} to lead"
        wait_until(lambda: cluster.nodes.quorum_leader() != led, what, ELECTION_TIMEOUT_S)
        create_topic(cluster, "orders", [[1, 2, 3]], {})

    assert gone.proof["fault"] == f"Disconnect(broker={led})"
    wait_until(
        lambda: cluster.nodes.quorum_leader() != led, "the heir to lead on", ELECTION_TIMEOUT_S
    )


@pytest.mark.on_demand
def test_a_broker_that_is_a_voter_loses_its_network_with_both_its_roles(
    start_cluster: Callable[..., KafkaCluster],
) -> None:
    cluster = start_cluster("4.1.1", voters=3, combined=True)
    led, where = cluster.nodes.quorum_leader(), TopicPartition("orders")
    create_topic(cluster, where.topic, [[led, *({1, 2, 3} - {led})]], {})

    with Aimed(QuorumLeader(), Disconnect).inject(cluster):
        what = f"another node than {led} to lead the voters and the partition"
        wait_until(
            lambda: (
                cluster.nodes.quorum_leader() != led
                and cluster.metadata.partition(where).leader not in {led, -1}
            ),
            what,
            ELECTION_TIMEOUT_S,
        )

    cluster.nodes.await_serving(led)
    assert cluster.nodes.voters == (1, 2, 3)
