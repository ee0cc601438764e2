"""`highwater gate`: told by HTTP, it holds and answers what a real client says to real brokers."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import which
from typing import Any

import pytest
from confluent_kafka import Consumer, Producer

from highwater.harness.creation import create_topic
from highwater.harness.foreign.environments import adapter
from highwater.harness.foreign.languages import KNOWN
from highwater.harness.kafka_cluster import KafkaCluster
from highwater.harness.model import TopicPartition
from highwater.harness.wait import wait_until

Start = Callable[..., KafkaCluster]
PATIENCE_S = 60
TOXIPROXY = Path(__file__).parent / "programs" / "toxiproxy"
PAGE = Path(__file__).parents[2] / "docs" / "howto" / "gate.md"
SAFE = {"min.insync.replicas": "2"}


@dataclass
class Gate:
    control: str
    bootstrap: str
    process: subprocess.Popen[str]

    def ask(self, method: str, path: str, body: object = None) -> Any:
        content = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.control + path, content, method=method)
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def refused(self, method: str, path: str, body: object = None) -> tuple[int, str]:
        with pytest.raises(urllib.error.HTTPError) as caught:
            self.ask(method, path, body)
        with caught.value as answer:
            told = json.loads(answer.read())
        assert told["status"] == answer.code
        return answer.code, told["error"]


@contextmanager
def gate_before(cluster: KafkaCluster) -> Iterator[Gate]:
    words = ["gate", "--upstream", cluster.bootstrap, "--control", "127.0.0.1:0", "--json"]
    process = subprocess.Popen(
        [sys.executable, "-m", "highwater.cli", *words], stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        told = ""
        while not told.endswith("\n}\n"):
            line = process.stdout.readline()
            assert line, "the gate has ended"
            told += line
        said = json.loads(told)
        yield Gate(said["control"], said["bootstrap.servers"], process)
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE_S) == 3
        process.communicate()


@pytest.fixture
def cluster(start_cluster: Start) -> KafkaCluster:
    started = start_cluster("4.1.1")
    create_topic(started, "orders", [started.brokers], SAFE)
    wait_until(lambda: started.probe(1).leads(TopicPartition("orders")), "broker 1 to lead")
    return started


TOXICS = "/proxies/broker-1/toxics"
MEANT = {"api": "Produce", "client_id": "billing", "topic": "orders", "partition": 0}


@dataclass
class Billing:
    """A client that sends to the gate."""

    settings: dict[str, Any]

    def __post_init__(self) -> None:
        self.producer = Producer({**self.settings, "enable.idempotence": True})
        self.outcomes: list[object] = []

    def send(self, value: bytes) -> None:
        self.producer.produce("orders", value, on_delivery=self.hear)
        self.producer.poll(0)

    def hear(self, error: object, _message: object) -> None:
        self.outcomes.append(error)


def a_request_stands_until_it_is_passed_on(gate: Gate, billing: Billing) -> None:
    held = {"type": "hold", "stream": "upstream", "attributes": {**MEANT, "nth": 1}}
    gate.ask("POST", TOXICS, held)
    billing.send(b"one")
    (standing,) = gate.ask("GET", f"{TOXICS}/hold_upstream/standing?timeout_s=30")
    assert (standing["client_id"], standing["partitions"][0]["topic"]) == ("billing", "orders")
    assert billing.outcomes == []
    (listed,) = gate.ask("GET", TOXICS)
    assert (listed["counts"]["held"], len(listed["standing"])) == (1, 1)
    assert gate.ask("POST", f"{TOXICS}/hold_upstream/pass") == {"frames": 1}
    assert billing.producer.flush(PATIENCE_S) == 0
    assert gate.ask("GET", TOXICS) == []


def requests_are_refused_and_an_answer_is_lost(gate: Gate, billing: Billing) -> None:
    wrong = {"api": "Produce", "error": "NOT_LEADER_OR_FOLLOWER", "times": 2}
    refused = {"name": "wrong", "type": "answer", "stream": "upstream", "attributes": wrong}
    gate.ask("POST", TOXICS, refused)
    billing.send(b"two")
    assert billing.producer.flush(PATIENCE_S) == 0
    assert gate.ask("GET", f"{TOXICS}/wrong")["counts"]["answered"] == 2
    gate.ask("DELETE", f"{TOXICS}/wrong")

    lost = {"name": "lost", "type": "drop", "attributes": {"api": "Produce", "nth": 1}}
    gate.ask("POST", TOXICS, lost)
    billing.send(b"three")
    assert billing.producer.flush(PATIENCE_S) == 0
    assert gate.ask("GET", f"{TOXICS}/lost")["counts"]["dropped"] == 1
    gate.ask("POST", "/reset")


def a_broker_that_is_out_of_reach_is_waited_for(gate: Gate, billing: Billing) -> None:
    """The one that leads; clients are told of it all the same, and ask again."""
    connected = billing.producer.list_topics("orders", PATIENCE_S)
    assert connected.topics["orders"].partitions[0].leader == 1
    assert gate.ask("PATCH", "/proxies/broker-1", {"enabled": False})["enabled"] is False
    billing.send(b"four")
    assert billing.producer.flush(2) == 1
    gate.ask("POST", "/proxies/broker-1", {"enabled": True})
    assert billing.producer.flush(PATIENCE_S) == 0


def test_plain_http_drives_the_gate_between_a_real_client_and_real_brokers(
    cluster: KafkaCluster,
) -> None:
    with gate_before(cluster) as gate:
        proxies = gate.ask("GET", "/proxies")
        settings = {"bootstrap.servers": gate.bootstrap, "client.id": "billing", "linger.ms": 0}
        billing = Billing(settings)
        seen = billing.producer.list_topics(timeout=PATIENCE_S).brokers.values()
        assert {f"{each.host}:{each.port}" for each in seen} == {
            each["listen"] for each in proxies.values()
        }

        a_request_stands_until_it_is_passed_on(gate, billing)
        requests_are_refused_and_an_answer_is_lost(gate, billing)
        a_broker_that_is_out_of_reach_is_waited_for(gate, billing)

        consumer = Consumer(
            {"bootstrap.servers": gate.bootstrap, "group.id": "g", "auto.offset.reset": "earliest"}
        )
        consumer.subscribe(["orders"])
        read = [each.value() for each in consumer.consume(4, PATIENCE_S)]
        consumer.close()
        assert (billing.outcomes, read) == ([None] * 4, [b"one", b"two", b"three", b"four"])
        assert gate.refused("POST", TOXICS, {"type": "hide"})[0] == 400
        code, why = gate.refused("GET", "/proxies/broker-9")
        assert (code, "there are broker-1" in why) == (404, True)

    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(f"{gate.control}/version", timeout=1)


@pytest.mark.on_demand
@pytest.mark.skipif(which("go") is None, reason="Toxiproxy's own client needs Go")
def test_toxiproxys_own_client_drives_it(cluster: KafkaCluster, tmp_path: Path) -> None:
    shutil.copytree(TOXIPROXY, tmp_path, dirs_exist_ok=True)  # Go writes beside what it builds

    with gate_before(cluster) as gate:
        ended = subprocess.run(
            ["go", "run", ".", gate.control.removesuffix("/proxies")],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=5 * PATIENCE_S,
            check=False,
        )

    assert (ended.returncode, ended.stdout) == (0, "as Toxiproxy does\n"), ended.stderr


@pytest.mark.on_demand
def test_the_recipe_in_javascript_is_so(cluster: KafkaCluster, tmp_path: Path) -> None:
    (recipe,) = re.findall(r"```js\n(.*?)```", PAGE.read_text(), re.DOTALL)
    modules = Path(adapter(KNOWN["kafkajs"], "")[-1]).parent / "node_modules"
    (tmp_path / "node_modules").symlink_to(modules)
    (tmp_path / "orders.test.mjs").write_text(recipe)

    with gate_before(cluster) as gate:
        ended = subprocess.run(
            ["node", "--test", "orders.test.mjs"],
            cwd=tmp_path,
            env={"GATE": gate.control, "BOOTSTRAP": gate.bootstrap, "PATH": "/usr/bin:/bin"},
            capture_output=True,
            text=True,
            timeout=2 * PATIENCE_S,
            check=False,
        )

    assert ended.returncode == 0, ended.stdout
    assert re.search(r"# pass 2\b", ended.stdout)
