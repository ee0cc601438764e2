"""What `highwater compose` prints, and what it refuses."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from highwater import composing
from highwater.compose import file
from highwater.compose.file import Topology, compose_file
from highwater.harness.errors import UsageError
from highwater.harness.versions.catalogue import find_kafka
from highwater.options import compose_project

EXAMPLES = sorted((Path(file.__file__).parent / "examples").glob("*.yaml"))


def test_there_is_an_example_with_zookeeper_and_one_with_kraft() -> None:
    named = [find_kafka(path.stem.removeprefix("kafka-")) for path in EXAMPLES]

    assert {kafka.mode for kafka in named} == {"zookeeper", "kraft"}


@pytest.mark.parametrize("example", EXAMPLES, ids=[path.stem for path in EXAMPLES])
def test_the_examples_are_what_is_printed(example: Path) -> None:
    kafka = find_kafka(example.stem.removeprefix("kafka-"))

    assert example.read_text(encoding="utf-8") == compose_file(Topology(kafka=kafka))


def test_ports_and_addresses_are_those_asked_for() -> None:
    text = compose_file(
        Topology(kafka=find_kafka("4.1.1"), brokers=2, first_port=9500, prefix="10.9.8")
    )

    assert "advertised.listeners=CLIENT://127.0.0.1:9501,REPL://10.9.8.12:9521" in text
    assert "highwater compose 4.1.1 --brokers 2 --port 9500 --subnet 10.9.8.0/24" in text
    assert "broker-3" not in text


@pytest.mark.parametrize(
    ("name", "connect", "ids"),
    [
        ("4.1.1", "quorum.voters=100@{0}.110:19111,101@{0}.111:19110,102@{0}.112:19109", []),
        ("0.11.0.3", "zookeeper.connect={0}.10:19111,{0}.211:19110,{0}.212:19109", [1, 2, 3]),
    ],
)
def test_three_voters_are_services_of_their_own_and_know_who_they_are(
    name: str, connect: str, ids: list[int]
) -> None:
    topology = Topology(kafka=find_kafka(name), voters=3)
    text = compose_file(topology)

    assert connect.format(file.PREFIX) in text
    assert topology.name == f"highwater-{name.replace('.', '-')}-3-voters"
    assert f"highwater compose {name} --brokers 3 --voters 3" in text
    assert [int(each) for each in re.findall("echo ([0-9]) > [^ ]*/myid", text)] == ids


def test_two_voters_are_refused() -> None:
    with pytest.raises(UsageError, match="one voter or three, not 2"):
        composing.show("4.1.1", brokers=3, voters=2, port=None, subnet=None)


def test_a_subnet_that_is_none_is_refused() -> None:
    with pytest.raises(UsageError, match=r"10\.9\.8\.0/24"):
        composing.show("4.1.1", brokers=3, voters=1, port=None, subnet="everything")


def test_an_attachment_that_names_no_project_is_refused() -> None:
    assert compose_project("compose:mine") == "mine"
    for wrong in ("mine", "compose:", "k8s:mine"):
        with pytest.raises(UsageError, match="compose:PROJECT"):
            compose_project(wrong)
