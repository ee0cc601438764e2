"""Errors for answers on real brokers: clients do as their libraries say, and nothing is lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from confluent_kafka import Consumer, KafkaException, TopicPartition
from tests.cluster.reactions import Observed, observe, program
from tests.reactions_page import CLIENTS, KAFKA, Row, rows

from highwater.faults.answer_requests import AnswerRequests
from highwater.harness.clients.settings import Transactions
from highwater.harness.cluster import ClusterSpec
from highwater.harness.gate.rules import Trigger
from highwater.harness.jvm.runtime import Runtime
from highwater.harness.kafka_cluster import KafkaCluster
from highwater.harness.play import Play
from highwater.harness.processes.site import ProcessSite
from highwater.harness.wait import wait_until
from highwater.harness.workloads.producer import ProducerSettings

pytestmark = [pytest.mark.cluster, pytest.mark.highwater(gated_clients=True)]
PARTS = {
    "sending": {"Produce", "InitProducerId", "Metadata"},
    "transactions": {"AddPartitionsToTxn", "EndTxn", "TxnOffsetCommit"},
    "reading": {"Fetch", "ListOffsets", "FindCoordinator", "OffsetFetch", "OffsetCommit"},
    "membership": {"JoinGroup", "SyncGroup", "Heartbeat", "ConsumerGroupHeartbeat"},
}
TWICE = Trigger("times", 2)
OF_GROUPS = [
    ("FindCoordinator", "COORDINATOR_NOT_AVAILABLE"),
    ("JoinGroup", "COORDINATOR_LOAD_IN_PROGRESS"),
    ("SyncGroup", "REBALANCE_IN_PROGRESS"),
    ("Heartbeat", "REBALANCE_IN_PROGRESS"),
    ("OffsetCommit", "NOT_COORDINATOR"),
    ("OffsetFetch", "COORDINATOR_LOAD_IN_PROGRESS"),
    ("ListOffsets", "NOT_LEADER_OR_FOLLOWER"),
]
OF_TRANSACTIONS = [
    ("InitProducerId", "COORDINATOR_LOAD_IN_PROGRESS"),
    ("AddPartitionsToTxn", "CONCURRENT_TRANSACTIONS"),
    ("EndTxn", "COORDINATOR_LOAD_IN_PROGRESS"),
]


@pytest.mark.parametrize("client", ["confluent", "java"])
def test_a_producer_sends_again_what_was_refused_and_what_only_seemed_so(
    play: Play, client: str
) -> None:
    orders = play.topic("orders", partitions=3)
    often = Trigger("chance", chance=0.2, seed=7)
    # Six answers in a row that are replaced come now and then, and five retries are used up.
    patient = ProducerSettings(retries=100)
    with play.load(orders, 500, patient, client=client) as load:
        load.await_acked(200)
        refused = play.inject(
            AnswerRequests("Produce", "NOT_LEADER_OR_FOLLOWER", client=load.name, often=often)
        )
        refused.await_answered()
        load.await_acked(300)
        play.heal(refused)
        late = play.inject(
            AnswerRequests("Produce", "REQUEST_TIMED_OUT", client=load.name, often=often, done=True)
        )
        late.await_answered()
        load.await_acked(300)
        play.heal(late)
    assert load.failed == 0


def test_a_group_goes_on_after_errors_for_all_that_it_asks(play: Play) -> None:
    orders = play.topic("orders", partitions=3)
    answers = [play.inject(AnswerRequests(*each, often=TWICE)) for each in OF_GROUPS]
    with (
        play.load(orders, rate_per_s=500) as load,
        play.group("billing", orders, members=2) as billing,
    ):
        load.await_acked(1_000)
        billing.await_committed(1_000)
    told = {
        each[0]: answer.proof["answered"] for each, answer in zip(OF_GROUPS, answers, strict=True)
    }
    assert all(told.values()), told


@pytest.mark.highwater(kafka=">=0.11")
def test_transactions_are_whole_after_errors_for_all_that_they_ask(play: Play) -> None:
    orders = play.topic("orders", partitions=3)
    answers = [play.inject(AnswerRequests(*each, often=TWICE)) for each in OF_TRANSACTIONS]
    with play.load(orders, rate_per_s=300, transactions=Transactions(records=50)) as load:
        load.await_acked(600)
    told = {
        each[0]: answer.proof["answered"]
        for each, answer in zip(OF_TRANSACTIONS, answers, strict=True)
    }
    assert all(told.values()), told


def test_metadata_with_errors_delay_and_lose_nothing(play: Play) -> None:
    orders = play.topic("orders", partitions=3)
    with play.load(orders, rate_per_s=500) as load:
        load.await_acked(500)
        absent = play.inject(
            AnswerRequests("Metadata", "LEADER_NOT_AVAILABLE", often=TWICE, done=True)
        )
        # who is refused asks who leads; what it asked first it asked of nobody's gate
        play.inject(AnswerRequests("Produce", "NOT_LEADER_OR_FOLLOWER", often=TWICE))
        absent.await_answered()
        load.await_acked(500)
    assert load.failed == 0


@contextmanager
def coordinated(runtime: Runtime, place: Path) -> Iterator[KafkaCluster]:
    """One cluster for many rows: each has a topic, a group and a client of its own."""
    spec = ClusterSpec(gated_clients=True)
    with KafkaCluster(ProcessSite(runtime, place), spec) as cluster:
        _have_coordinators(cluster)
        yield cluster


@pytest.fixture(scope="module")
def answering(
    prepared: Callable[[str], Runtime], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[KafkaCluster]:
    with coordinated(prepared(KAFKA), tmp_path_factory.mktemp("answering") / "cluster") as cluster:
        yield cluster


def _have_coordinators(cluster: KafkaCluster) -> None:
    """Or the first group would ask who coordinates it until their topic is there."""
    asked = {"bootstrap.servers": cluster.client_bootstrap, "group.id": "first"}
    with closing(Consumer(asked)) as consumer:

        def is_answered() -> bool:
            try:
                consumer.committed([TopicPartition("__consumer_offsets", 0)], timeout=5)
            except KafkaException:  # it is being elected
                return False
            return True

        wait_until(is_answered, "somebody to coordinate groups", 60.0)


@pytest.mark.on_demand
@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("client", CLIENTS)
def test_clients_do_about_errors_what_stands_in_the_table(
    answering: KafkaCluster, tmp_path: Path, client: str, part: str
) -> None:
    """The table is docs/reactions.toml, and what it says of documentation is not tested."""
    mine = [row for row in rows() if row.api in PARTS[part] and row.on(client) == KAFKA]

    assert mine
    assert not strange(answering, client, mine, tmp_path)


@pytest.mark.on_demand
def test_older_brokers_are_asked_for_what_newer_ones_are_not(
    prepared: Callable[[str], Runtime], tmp_path: Path
) -> None:
    """With 4.1.1 Java's client adds no partitions to a transaction any more (KIP-890)."""
    ((client, kafka),) = {
        (client, row.on(client)) for row in rows() for client in CLIENTS if row.on(client) != KAFKA
    }
    mine = [row for row in rows() if row.on(client) == kafka]

    with coordinated(prepared(kafka), tmp_path / "cluster") as cluster:
        assert not strange(cluster, client, mine, tmp_path)


def strange(
    cluster: KafkaCluster, client: str, mine: Sequence[Row], classes: Path
) -> dict[str, tuple[str, Observed]]:
    """What is seen and does not stand in the table, with what does."""
    with program(client, classes) as running:
        observed = {row.name: observe(cluster, running, row) for row in mine}

    also = {row.name: row.clients[client].get("also") for row in mine}  # by its own clock
    expected = {row.name: row.seen(client) or row.clients[client]["documented"] for row in mine}
    return {
        name: (expected[name], each)
        for name, each in observed.items()
        if each.reaction not in {expected[name], also.get(name)}
    }
