"""A cluster that is given by its address: what it has not is refused in words, and by whom."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest
from tests.fake_cluster import FakeCluster

from highwater.faults.aimed import Aimed
from highwater.faults.block_link import BlockLink
from highwater.faults.kill import Kill
from highwater.faults.targets import Leader
from highwater.faults.together import Together
from highwater.faults.wipe_replica import WipeReplica
from highwater.harness import evidence
from highwater.harness.addresses import addresses, written
from highwater.harness.attached import AttachedCluster
from highwater.harness.cluster import EVERYTHING, FILES, LINKS, NODES
from highwater.harness.errors import InfrastructureError, Interrupted, PreconditionError, UsageError
from highwater.harness.fitting import misfit
from highwater.harness.model import TopicPartition
from highwater.harness.record.reader import open_run
from highwater.harness.trial import staged
from highwater.harness.versions.catalogue import find_kafka

KAFKA = find_kafka("4.1.1")
WHERE = TopicPartition("orders")
NOTHING = "this cluster has nothing but the addresses of its brokers"


@pytest.mark.parametrize(
    ("fault", "needed"),
    [
        (Kill(1), "Kill needs nodes, brokers that can be stopped and started: "),
        (BlockLink(2, 1), "BlockLink needs links, a gate between brokers: "),
        (Aimed(Leader(WHERE), Kill), "Kill needs nodes"),
        (Together((WipeReplica(1, WHERE),)), "WipeReplica needs nodes"),
    ],
    ids=repr,
)
def test_a_fault_is_told_what_an_attached_cluster_has_not(fault: object, needed: str) -> None:
    cluster = AttachedCluster(KAFKA, "127.0.0.1:1")

    said = misfit(fault, cluster.spec, "attached", cluster.has)

    assert said.startswith(needed)
    assert said.endswith(NOTHING)


def test_what_a_cluster_has_is_named_where_something_else_is_missing() -> None:
    spec = AttachedCluster(KAFKA, "127.0.0.1:1").spec

    assert misfit(BlockLink(2, 1), spec, None, EVERYTHING - {LINKS}).endswith(
        "has nodes, kills, pauses, processes, files"
    )
    assert misfit(WipeReplica(1, WHERE), spec, None, frozenset({NODES})).startswith(
        "WipeReplica needs files, brokers whose files can be read"
    )


@pytest.mark.parametrize("needed", [NODES, FILES, "gate"])
def test_whoever_reaches_for_what_is_missing_is_told(needed: str) -> None:
    with pytest.raises(UsageError, match=NOTHING):
        getattr(AttachedCluster(KAFKA, "127.0.0.1:1"), needed)


@pytest.mark.parametrize("given", ["", "kafka", "kafka:", ":9092", "kafka:0", "a:1,,b:2", "a:x"])
def test_what_is_no_address_is_refused_before_anything_is_asked(given: str) -> None:
    with pytest.raises(UsageError, match="expected bootstrap servers as HOST:PORT"):
        AttachedCluster(KAFKA, given)


def test_bootstrap_servers_are_hosts_with_ports() -> None:
    assert addresses("a:9092, [::1]:9093") == [("a", 9092), ("::1", 9093)]


@pytest.mark.parametrize("host", ["a.example", "127.0.0.1", "::1", "fe80::1%eth0", "::"])
def test_what_is_written_of_an_address_is_read_as_it(host: str) -> None:
    assert addresses(written(host, 9092)) == [(host, 9092)]


@pytest.mark.parametrize("host", ["[]", "[:::::]", "[1::2::3]", "[....]", "[127.0.0.1]", "[beef]"])
def test_brackets_are_for_addresses_of_ipv6(host: str) -> None:
    with pytest.raises(UsageError, match="expected bootstrap servers as HOST:PORT"):
        addresses(f"{host}:9092")


def test_a_kafka_that_gives_topics_no_ids_cannot_be_attached_by_its_address() -> None:
    with pytest.raises(UsageError, match=r"Kafka 2\.7\.2 cannot be attached .* 2\.8 and newer can"):
        AttachedCluster(find_kafka("2.7.2"), "127.0.0.1:1")


@pytest.mark.parametrize("kafka", ["2.8.2", "3.9.1-zk"])
def test_a_kafka_with_zookeeper_can_be_attached_by_its_address(kafka: str) -> None:
    assert AttachedCluster(find_kafka(kafka), "127.0.0.1:1").brokers == ()


def test_servers_that_do_not_answer_are_told_one_by_one() -> None:
    with (
        pytest.raises(InfrastructureError, match=r"127\.0\.0\.1:1: .*127\.0\.0\.1:2: "),
        AttachedCluster(KAFKA, "127.0.0.1:1,127.0.0.1:2"),
    ):
        pass


class Blind(FakeCluster):
    """The fake cluster, if only its endpoint is within reach."""

    has: frozenset[str] = frozenset()


def play_and_stop(cluster: FakeCluster, path: Path, error: BaseException) -> None:
    with staged(cast("Any", cluster), path, {"topic": "orders"}) as stage:
        stage.play.topic()
        raise error


@pytest.mark.parametrize(
    "error", [InfrastructureError("nothing settles"), PreconditionError("not so")]
)
def test_what_is_out_of_reach_is_not_collected_and_topics_go_whatever_has_happened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    cluster = Blind(tmp_path / "cluster")
    for gone in ("nodes", "files"):
        delattr(cluster, gone)
    monkeypatch.setattr(evidence, "read_to_end", lambda *_: dict.fromkeys([WHERE], 0))

    play_and_stop(cluster, tmp_path / "run", error)

    run = open_run(tmp_path / "run")
    assert not (tmp_path / "run" / "brokers").exists()
    assert not run.parts("replica_logs")
    assert not run.parts("epoch_checkpoints")
    assert run.table("replica_ends").num_rows == 3
    assert cluster.deleted == ["orders"]


def test_topics_go_when_the_session_is_interrupted(tmp_path: Path) -> None:
    cluster = Blind(tmp_path / "cluster")

    with pytest.raises(Interrupted):
        play_and_stop(cluster, tmp_path / "run", Interrupted())

    assert cluster.deleted == ["orders"]
