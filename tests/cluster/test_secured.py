"""Somebody else's cluster with TLS and SCRAM: played on, and taken down by its owner's commands."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka.admin import (  # type: ignore[attr-defined]
    AdminClient,
    ScramCredentialInfo,
    ScramMechanism,
    UserScramCredentialUpsertion,
)
from tests.cluster.operating import operating, play_there, results_of
from tests.grounds import require_client

from highwater.harness.cluster import ClusterSpec
from highwater.harness.jvm.runtime import Runtime
from highwater.harness.kafka_cluster import KafkaCluster
from highwater.harness.processes.ports import Ports
from highwater.harness.processes.site import ProcessSite
from highwater.harness.properties import write_properties
from highwater.harness.record.reader import open_run
from highwater.properties import read_properties

pytestmark = pytest.mark.on_demand(together="tests/cluster/test_secured.py")
WHO, PASSWORD, STORE = "orders", 'pass "word"', "keys-of-brokers"
SUITE = """
def test_a_load_and_a_group(play, partition):
    orders = play.topic("orders", partitions=3)
    with play.group("billing", orders, members=2) as billing:
        with play.load(orders, rate_per_s=200) as load:
            load.await_acked(400)
        billing.await_caught_up()
    partition.send(3)
"""
KILLED = """
from highwater.faults.kill import Kill


def test_a_leader_is_killed(play):
    orders = play.topic("orders", partitions=3)
    with play.load(orders, rate_per_s=200) as load:
        load.await_acked(200)
        play.inject(Kill(orders[0].leader))
        load.await_acked(200)
"""


OF_ANOTHER_LIBRARY = """
def test_a_load_and_a_group_of_another_library(play):
    orders = play.topic("orders", partitions=3)
    with play.group("billing", orders, members=2, client="CLIENT") as billing:
        with play.load(orders, rate_per_s=200, client="CLIENT") as load:
            load.await_acked(400)
        billing.await_caught_up()
"""


def with_keys(directory: Path) -> tuple[Path, Path]:
    """A store of brokers' keys, and the certificate to believe."""
    store, certificate = directory / "keys.p12", directory / "ca.pem"
    common = ["-keystore", str(store), "-storepass", STORE, "-alias", "broker"]
    made = ["-keyalg", "RSA", "-dname", "CN=broker", "-ext", "san=ip:127.0.0.1", "-validity", "2"]
    for words in (
        ["-genkeypair", *common, "-storetype", "PKCS12", *made],
        ["-exportcert", *common, "-rfc", "-file", str(certificate)],
    ):
        subprocess.run(["keytool", *words], check=True, capture_output=True, timeout=60)
    return store, certificate


def secure(cluster: KafkaCluster, broker: int, store: Path, port: int) -> None:
    """One more listener, by the broker's own configuration, as an operator would have it."""
    path = cluster.files.properties(broker)
    told = read_properties(path)
    listener = f",SECURE://127.0.0.1:{port}"
    cluster.nodes.terminate(broker)
    write_properties(
        path,
        {
            **told,
            "listeners": told["listeners"] + listener,
            "advertised.listeners": told["advertised.listeners"] + listener,
            "listener.security.protocol.map": told["listener.security.protocol.map"]
            + ",SECURE:SASL_SSL",
            "ssl.keystore.type": "PKCS12",
            "ssl.keystore.location": str(store),
            "ssl.keystore.password": STORE,
            "ssl.key.password": STORE,
            "sasl.enabled.mechanisms": "SCRAM-SHA-512",
            "listener.name.secure.scram-sha-512.sasl.jaas.config": (
                "org.apache.kafka.common.security.scram.ScramLoginModule required;"
            ),
        },
    )
    cluster.nodes.start(broker)
    cluster.nodes.await_serving(broker)


@pytest.fixture(scope="module")
def cluster(
    prepared: Callable[[str], Runtime], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[KafkaCluster, Path]]:
    """With the properties of a client that it lets in."""
    directory = tmp_path_factory.mktemp("theirs")
    store, certificate = with_keys(directory)
    site = ProcessSite(prepared("4.1.1"), directory / "cluster")
    spec = ClusterSpec(gated=False, quiet_replication_links=False)
    with KafkaCluster(site, spec) as started, Ports() as ports:
        info = ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, 8192)
        wanted = UserScramCredentialUpsertion(WHO, info, PASSWORD.encode())
        admin = AdminClient({"bootstrap.servers": started.bootstrap})
        for answer in admin.alter_user_scram_credentials([wanted]).values():
            answer.result(30)
        numbers = [ports.free() for _ in started.brokers]
        for broker, port in zip(started.brokers, numbers, strict=True):
            secure(started, broker, store, port)
        properties = directory / "client.properties"
        properties.write_text(
            "security.protocol=SASL_SSL\nsasl.mechanism=SCRAM-SHA-512\n"
            "sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required "
            f'username="{WHO}" password="{PASSWORD}";\n'.replace(' "word"', ' \\\\"word\\\\"')
            + f"ssl.truststore.type=PEM\nssl.truststore.location={certificate.name}\n"
            f"bootstrap.servers=127.0.0.1:{numbers[0]}\n"
        )
        yield started, properties


def played(
    cluster: tuple[KafkaCluster, Path], folder: Path, suite: str, *more: str
) -> tuple[subprocess.CompletedProcess[str], Any]:
    properties = cluster[1]
    at = read_properties(properties)["bootstrap.servers"]
    done = play_there(at, folder, suite, "--kafka-attach-config", str(properties), *more)
    return done, results_of(folder, done)


def test_clients_and_probes_are_let_in_and_clients_are_judged(
    cluster: tuple[KafkaCluster, Path], tmp_path: Path
) -> None:
    done, (test,) = played(cluster, tmp_path, SUITE)

    run = open_run(tmp_path / "r" / test["run"])
    answers = {each.claim: each.answer for each in run.verdicts()}
    assert test["outcome"] == "passed", test["text"]
    assert (answers["lost-write"], answers["unprocessed"]) == ("HELD", "HELD")
    assert answers["leader-out-of-sync"] == "HELD"
    assert answers["replica-divergence"] == "UNKNOWN"
    kept = [each.read_bytes() for each in (tmp_path / "r").rglob("*") if each.is_file()]
    assert not any(PASSWORD.encode() in each for each in kept)
    assert PASSWORD not in done.stdout + done.stderr


@pytest.mark.parametrize("client", ["java", "confluent-kafka", "franz-go"])
def test_clients_of_other_libraries_are_let_in_where_their_adapter_can(
    cluster: tuple[KafkaCluster, Path], tmp_path: Path, client: str
) -> None:
    require_client(client)

    done, (test,) = played(cluster, tmp_path, OF_ANOTHER_LIBRARY.replace("CLIENT", client))

    run = open_run(tmp_path / "r" / test["run"])
    answers = {each.claim: each.answer for each in run.verdicts()}
    assert test["outcome"] == "passed", test["text"]
    assert (answers["lost-write"], answers["unprocessed"]) == ("HELD", "HELD")
    kept = [each.read_bytes() for each in (tmp_path / "r").rglob("*") if each.is_file()]
    assert not any(PASSWORD.encode() in each for each in kept)
    assert PASSWORD not in done.stdout + done.stderr


def test_a_client_whose_adapter_does_not_say_that_it_can_is_refused_in_words(
    cluster: tuple[KafkaCluster, Path], tmp_path: Path
) -> None:
    require_client("kafka-python")
    suite = OF_ANOTHER_LIBRARY.replace("CLIENT", "kafka-python")

    _, (test,) = played(cluster, tmp_path, suite)

    assert "cannot speak to brokers by SASL_SSL and SCRAM-SHA-512 here" in test["text"]


def test_who_has_another_password_is_not_let_in_and_is_told(
    cluster: tuple[KafkaCluster, Path], tmp_path: Path
) -> None:
    wrong = tmp_path / "wrong.properties"
    wrong.write_text(cluster[1].read_text().replace("pass ", "path "))
    certificate = cluster[1].with_name("ca.pem")
    (tmp_path / "ca.pem").write_bytes(certificate.read_bytes())

    _, (test,) = played((cluster[0], wrong), tmp_path, SUITE)

    assert test["outcome"] in {"error", "inconclusive"}
    assert "by SASL_SSL as orders" in test["reason"] + test["text"]
    assert "SASL_AUTHENTICATION_FAILED" in test["reason"] + test["text"]


def test_a_leader_is_killed_by_its_owners_command_and_given_back(
    cluster: tuple[KafkaCluster, Path], tmp_path: Path
) -> None:
    with operating(cluster[0], ("kill", "start")) as (hooks, asked):
        _, (test,) = played(cluster, tmp_path, KILLED, *hooks, "--i-own-this-cluster")

    run = open_run(tmp_path / "r" / test["run"])
    recoveries = run.recoveries().to_pylist()
    assert test["outcome"] == "passed", test["text"]
    assert [each.split()[0] for each in asked] == ["kill", "start"]
    assert len({each.split()[1] for each in asked}) == 1
    assert any(each["fault"].startswith("Kill(") and each["first_ack_ms"] for each in recoveries)
    assert all(cluster[0].nodes.running(each) for each in cluster[0].brokers)
