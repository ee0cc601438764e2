"""The properties of a cluster's nodes: what is shortened, and what never is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from highwater.harness.settings import (
    BrokerPorts,
    Layout,
    broker_settings,
    controller_settings,
    write_properties,
    zookeeper_settings,
)
from highwater.harness.versions.catalogue import find_kafka


def layout(kafka: str, settings: Mapping[str, str] | None = None) -> Layout:
    return Layout(
        directory=Path("/cluster"),
        kafka=find_kafka(kafka),
        brokers={2: BrokerPorts(client=10, replication=11, gate=12)},
        metadata_port=9,
        hosts=dict.fromkeys((0, 2, 100), "10.0.0.2"),
        clients_at="127.0.0.1",
        gate_at="10.0.0.1",
        settings=settings or {},
    )


@pytest.mark.parametrize("kafka", ["0.10.2.2", "4.1.1"])
def test_peers_are_told_the_gate_and_clients_the_broker(kafka: str) -> None:
    found = broker_settings(layout(kafka), 2, replicas=3)

    assert found["listeners"] == "CLIENT://10.0.0.2:10,REPL://10.0.0.2:11"
    assert found["advertised.listeners"] == "CLIENT://127.0.0.1:10,REPL://10.0.0.1:12"
    assert found["inter.broker.listener.name"] == "REPL"


def test_clients_are_told_a_gate_of_their_own_where_a_scenario_holds_up_clients() -> None:
    ports = BrokerPorts(client=10, replication=11, gate=12, client_gate=13)
    gated = replace(layout("4.1.1"), brokers={2: ports})

    found = broker_settings(gated, 2, replicas=3)

    assert found["listeners"] == "CLIENT://10.0.0.2:10,REPL://10.0.0.2:11"
    assert found["advertised.listeners"] == "CLIENT://127.0.0.1:13,REPL://10.0.0.1:12"


@pytest.mark.parametrize("kafka", ["0.10.2.2", "4.1.1"])
def test_no_guarantee_is_weakened_unless_the_scenario_says_so(kafka: str) -> None:
    plain = broker_settings(layout(kafka), 2, replicas=3)
    weakened = broker_settings(
        layout(kafka, {"unclean.leader.election.enable": "true"}), 2, replicas=3
    )

    assert plain["unclean.leader.election.enable"] == "false"
    assert plain["min.insync.replicas"] == "2"
    assert plain["default.replication.factor"] == "3"
    assert weakened["unclean.leader.election.enable"] == "true"


def test_a_broker_of_zookeeper_and_one_of_kraft_know_where_their_metadata_is() -> None:
    zookeeper = broker_settings(layout("2.8.2"), 2, replicas=2)
    kraft = broker_settings(layout("4.1.1"), 2, replicas=2)

    assert (zookeeper["broker.id"], zookeeper["zookeeper.connect"]) == ("2", "10.0.0.2:9")
    assert "process.roles" not in zookeeper
    assert (kraft["node.id"], kraft["process.roles"]) == ("2", "broker")
    assert kraft["controller.quorum.voters"] == "100@10.0.0.2:9"
    assert "zookeeper.connect" not in kraft


def test_internal_topics_never_ask_for_more_replicas_than_there_are() -> None:
    factors = [
        broker_settings(layout("3.9.1"), 2, replicas=count)["offsets.topic.replication.factor"]
        for count in (1, 2, 3, 5)
    ]

    assert factors == ["1", "2", "3", "3"]


def test_the_controller_and_zookeeper_listen_on_their_own_address_only() -> None:
    controller, zookeeper = (
        controller_settings(layout("4.1.1", {"min.insync.replicas": "1"})),
        zookeeper_settings(layout("0.10.2.2")),
    )

    assert controller["listeners"] == "CONTROLLER://10.0.0.2:9"
    assert controller["min.insync.replicas"] == "1"
    assert (zookeeper["clientPort"], zookeeper["clientPortAddress"]) == ("9", "10.0.0.2")


def test_properties_are_written_a_line_each(tmp_path: Path) -> None:
    write_properties(tmp_path / "p", {"a": "1", "b.c": "x,y"})

    assert (tmp_path / "p").read_text() == "a=1\nb.c=x,y\n"
