"""The properties of a cluster's nodes: what is shortened, and what never is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from highwater.harness.properties import write_properties
from highwater.harness.settings import (
    BrokerPorts,
    Layout,
    VoterPorts,
    broker_settings,
    controller_settings,
    own_number,
    voter_ids,
    zookeeper_settings,
)
from highwater.harness.versions.catalogue import find_kafka
from highwater.properties import read_properties


def layout(kafka: str, settings: Mapping[str, str] | None = None, voters: int = 1) -> Layout:
    found = find_kafka(kafka)
    named = voter_ids(found, voters)
    peers = (20, 21) if voters > 1 and not found.kraft else ()
    return Layout(
        directory=Path("/cluster"),
        kafka=found,
        brokers={2: BrokerPorts(client=10, replication=11, gate=12)},
        voters={voter: VoterPorts(9, peers) for voter in named},
        hosts={2: "10.0.0.2", **{each: f"10.0.0.{number}" for number, each in enumerate(named, 2)}},
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
    assert gated.gated_client_address(2) == "127.0.0.1:13"
    assert gated.client_address(2) == "127.0.0.1:10"


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


def test_three_voters_know_one_another_and_brokers_know_all() -> None:
    several = layout("4.1.1", voters=3)
    everybody = "100@10.0.0.2:9,101@10.0.0.3:9,102@10.0.0.4:9"

    asked = [controller_settings(several, each) for each in several.voters]

    assert {each["controller.quorum.voters"] for each in asked} == {everybody}
    assert [each["node.id"] for each in asked] == ["100", "101", "102"]
    assert [each["listeners"] for each in asked] == [
        f"CONTROLLER://10.0.0.{number}:9" for number in (2, 3, 4)
    ]
    assert broker_settings(several, 2, replicas=3)["controller.quorum.voters"] == everybody


def test_a_broker_that_is_a_voter_is_a_controller_as_well_and_others_are_none() -> None:
    both = layout("4.1.1")
    both = replace(
        both,
        brokers={each: BrokerPorts(client=10, replication=11, gate=12) for each in (1, 2)},
        voters={1: VoterPorts(9)},
        hosts={1: "10.0.0.1", 2: "10.0.0.2"},
    )

    voter, broker = (broker_settings(both, each, replicas=2) for each in (1, 2))

    assert voter["process.roles"] == "broker,controller"
    assert voter["listeners"].endswith(",CONTROLLER://10.0.0.1:9")
    assert voter["controller.quorum.voters"] == "1@10.0.0.1:9"
    assert broker["process.roles"] == "broker"
    assert "CONTROLLER" not in broker["listeners"] + voter["advertised.listeners"]
    assert broker["controller.quorum.voters"] == "1@10.0.0.1:9"
    assert voter_ids(both.kafka, 3, combined=True) == (1, 2, 3)


def test_the_sessions_of_brokers_outlast_an_election_where_there_can_be_one() -> None:
    timeouts = [
        settings["broker.session.timeout.ms"]
        for voters in (1, 3)
        for kraft in [layout("4.1.1", voters=voters)]
        for settings in (controller_settings(kraft), broker_settings(kraft, 2, replicas=3))
    ]

    assert timeouts == ["3000", "3000", "6000", "6000"]


def test_whoever_asks_a_voter_is_told_the_gates_port_for_it_and_a_voter_its_own() -> None:
    gates = {(2, 100): 30, (2, 101): 31, (2, 102): 32, (100, 101): 33, (100, 102): 34}
    several = replace(layout("4.1.1", voters=3), metadata_gates=gates)

    assert several.quorum_for(2) == "100@10.0.0.1:30,101@10.0.0.1:31,102@10.0.0.1:32"
    assert several.quorum_for(100) == "100@10.0.0.2:9,101@10.0.0.1:33,102@10.0.0.1:34"


def test_a_voter_that_tells_its_address_tells_that_of_the_gate() -> None:
    several = replace(layout("4.1.1", voters=3), told_gates={101: 41})

    told = [controller_settings(several, each).get("advertised.listeners") for each in (100, 101)]

    assert told == [None, "CONTROLLER://10.0.0.1:41"]
    assert controller_settings(several, 101)["listeners"] == "CONTROLLER://10.0.0.3:9"


def test_three_zookeepers_are_an_ensemble_of_small_numbers() -> None:
    several = layout("0.10.2.2", voters=3)
    servers = [zookeeper_settings(several, each) for each in several.voters]

    assert [servers[2][f"server.{number}"] for number in (1, 2, 3)] == [
        f"10.0.0.{number}:20:21" for number in (2, 3, 4)
    ]
    assert [each["dataDir"] for each in servers] == [
        f"/cluster/{name}-data" for name in ("zookeeper", "zookeeper-201", "zookeeper-202")
    ]
    assert [own_number(several, each) for each in several.voters] == [1, 2, 3]
    assert broker_settings(several, 2, replicas=3)["zookeeper.connect"] == (
        "10.0.0.2:9,10.0.0.3:9,10.0.0.4:9"
    )


def test_a_single_zookeeper_is_no_ensemble() -> None:
    single = zookeeper_settings(layout("0.10.2.2"))

    assert not [name for name in single if name.startswith(("server.", "initLimit"))]


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


def test_what_is_written_is_read_again_as_it_was(tmp_path: Path) -> None:
    told = {
        "a": "ends with \\",
        "b": "two\nlines=1",
        "c d": "größer",
        "e": "\ttab",
        "f": "😀",
        "g": "",
    }

    write_properties(tmp_path / "p", told)

    text = (tmp_path / "p").read_text(encoding="ascii")
    assert text.splitlines()[0] == "a=ends with \\\\"
    assert "f=\\ud83d\\ude00" in text
    assert read_properties(tmp_path / "p") == {**told, "e": "tab", "f": "\ud83d\ude00"}
