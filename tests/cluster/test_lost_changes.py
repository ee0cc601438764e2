"""A controller does what it is asked, and the gate cuts its answer: it is done, and is no error."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager

import pytest

from highwater.harness.attached import ADMIN_TIMEOUT_S, AttachedCluster
from highwater.harness.gate import headers
from highwater.harness.gate.client import GateProcess
from highwater.harness.gate.rules import Action, Match, Rule, Trigger
from highwater.harness.gate.upstream import Upstream
from highwater.harness.kafka_cluster import KafkaCluster
from highwater.harness.metadata.kraft import KRaftMetadata
from highwater.harness.model import TopicPartition
from highwater.harness.probes.wire import Wire
from highwater.harness.wait import wait_until

Start = Callable[..., KafkaCluster]
FIRST, SECOND = TopicPartition("orders", 0), TopicPartition("orders", 1)


@contextmanager
def cut(gate: GateProcess, api: int) -> Generator[None]:
    """The next answer to such a request does not come."""
    rule = gate.add(Rule(Match(stage="response", apis=(api,)), Action("cut"), Trigger("once")))
    yield
    assert rule.counters()["cut"] == 1


@contextmanager
def asked_by_the_gate(attached: AttachedCluster, gate: GateProcess) -> Generator[KRaftMetadata]:
    """Changes are asked for by way of the gate, and looked for past it."""
    known = attached.probe(1).metadata().brokers
    ports = {
        each.broker_id: gate.listen(Upstream(each.broker_id, each.host, each.port))
        for each in known
    }
    wires = {broker: Wire("127.0.0.1", port, ADMIN_TIMEOUT_S) for broker, port in ports.items()}
    metadata = type(attached.metadata)(wires, {each: attached.probe(each) for each in ports})
    yield metadata
    metadata.close()
    for wire in wires.values():
        wire.close()


@pytest.mark.on_demand
@pytest.mark.parametrize("kafka", ["2.8.2", "3.9.1-zk", "4.1.1"])
def test_what_was_done_and_answered_to_nobody_is_done(start_cluster: Start, kafka: str) -> None:
    cluster = start_cluster(kafka, gated=False, quiet_replication_links=False)
    with (
        AttachedCluster(cluster.kafka, cluster.bootstrap) as attached,
        GateProcess() as gate,
        asked_by_the_gate(attached, gate) as metadata,
    ):
        theirs = attached.metadata
        with cut(gate, headers.CREATE_TOPICS):
            metadata.create_topic("orders", [[1, 2]], {"min.insync.replicas": "1"})
        wait_until(lambda: theirs.partition(FIRST).isr == (1, 2), "orders to be there")
        with cut(gate, headers.CREATE_PARTITIONS):
            metadata.add_partitions("orders", 1, [[2, 3]])
        wait_until(lambda: theirs.partition(SECOND).isr == (2, 3), "one more partition")
        with cut(gate, headers.ALTER_PARTITION_REASSIGNMENTS):
            metadata.reassign(FIRST, [2, 1])
        with cut(gate, headers.ELECT_LEADERS):
            metadata.elect_preferred(FIRST)
        wait_until(lambda: theirs.partition(FIRST).leader == 2, "another leader")
        with cut(gate, headers.DELETE_TOPICS):
            metadata.delete_topic("orders")
        wait_until(lambda: not theirs.has_topic("orders"), "orders to be gone")
