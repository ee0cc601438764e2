"""What is found in a foreign compose project that keeps its metadata in ZooKeeper."""

from __future__ import annotations

import io
import tarfile
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from docker.errors import NotFound

from highwater.compose.asking import Found, _numbered, _told, _written_number
from highwater.compose.copying import copy_of_server
from highwater.compose.fit import kafka_of, members_in
from highwater.harness.errors import UsageError
from highwater.harness.jvm.runtime import BROKER, ZOOKEEPER

SERVERS = {"server.1": "a:2888:3888", "server.2": "b:2888:3888", "server.3": "c:2888:3888"}


class Container:
    """One that holds these files."""

    labels: dict[str, str] = {}  # noqa: RUF012 - as Docker's client has it
    attrs: dict[str, Any] = {"HostConfig": {}}  # noqa: RUF012

    def __init__(self, name: str, files: dict[str, bytes] | None = None) -> None:
        self.name = self.id = name
        self._files = files or {}

    def get_archive(self, place: str) -> tuple[list[bytes], dict[str, str]]:
        under = f"{place}/"
        inside = {
            each: content
            for each, content in self._files.items()
            if each == place or each.startswith(under)
        }
        if not inside:
            raise NotFound(place)
        packed, above = io.BytesIO(), str(Path(place).parent)
        with tarfile.open(fileobj=packed, mode="w") as tar:
            for each, content in inside.items():
                member = tarfile.TarInfo(str(Path(each).relative_to(above)))
                member.size = len(content)
                tar.addfile(member, io.BytesIO(content))
        return [packed.getvalue()], {}


def _broker(number: int, **changed: str) -> Found:
    told = {"zookeeper.connect": "a:2181,b:2181,c:2181", "log.dirs": "/data"}
    told |= {"zookeeper.session.timeout.ms": "1", "message.max.bytes": "7"}
    told |= {name.replace("_", "."): value for name, value in changed.items()}
    container, line = cast("Any", Container(f"kafka-{number}")), ("java", BROKER, "/p")
    return Found(
        container=container, pid=0, line=line, settings=told, release="2.8.2", number=number
    )


def _server(number: int, **changed: str) -> Found:
    told = {"dataDir": "/zk", "clientPort": "2181", **changed}
    container, line = cast("Any", Container(f"zookeeper-{number}")), ("java", ZOOKEEPER, "/zoo.cfg")
    return Found(container=container, pid=0, line=line, settings=told, release="", number=number)


def _servers(**changed: str) -> list[Found]:
    return [_server(each, **SERVERS, **changed) for each in (1, 2, 3)]


BROKERS = [_broker(each) for each in (0, 1, 2)]


def test_brokers_keep_their_numbers_and_its_servers_get_others() -> None:
    found = _numbered([*_servers(), *BROKERS])

    members = members_in(found)

    assert kafka_of("shop", found).name == "2.8.2"
    assert members.brokers == {each: {"message.max.bytes": "7"} for each in (0, 1, 2)}
    assert members.voters == {201: {}, 202: {}, 203: {}}
    assert not members.root


def test_a_broker_that_was_given_its_number_may_be_told_it() -> None:
    members = members_in([_server(1003), _broker(1000), _broker(1001)])

    assert "reserved.broker.max.id" not in members.brokers[1000]
    assert members.brokers[1001]["reserved.broker.max.id"] == "1001"


def test_one_server_is_enough_and_may_say_so_or_not() -> None:
    for server in (_server(-1), _server(1, **{"server.1": "a:2888:3888"})):
        found = _numbered([server, *BROKERS, _broker(217)])

        assert kafka_of("shop", found).name == "2.8.2"
        assert [*members_in(found).voters] == [218]


def test_of_releases_with_both_it_is_the_one_with_zookeeper() -> None:
    found = [replace(each, release="3.9.1") for each in BROKERS]

    assert kafka_of("shop", [_server(201), *found]).name == "3.9.1-zk"


def test_the_znode_that_all_are_under_is_kept() -> None:
    found = [_broker(each, zookeeper_connect="a:2181,b:2181/shop/kafka/") for each in (0, 1, 2)]

    assert members_in([_server(201), *found]).root == "/shop/kafka"


@pytest.mark.parametrize(
    ("found", "why"),
    [
        (BROKERS, "it has 0 ZooKeeper servers that run, none: expected one or three"),
        ([*_servers()[:2], *BROKERS], "it has 2 .* that run, zookeeper-1, zookeeper-2: expected"),
        ([_server(1, **SERVERS), *BROKERS], r"say that there are \[3\] of them .* there run 1"),
        ([*map(_server, (1, 2, 3)), *BROKERS], r"say that there are \[0\] of them"),
        ([_server(1, dataDir=""), *BROKERS], "zookeeper-1 has no dataDir"),
        ([_server(1, dataLogDir="log"), *BROKERS], "data at /zk, log: expected an absolute path"),
        ([_server(1), *BROKERS, _broker(3, zookeeper_connect="a/b")], "of zookeeper.connect there"),
        ([_server(1), *BROKERS, _broker(100)], "kafka-100 is broker 100"),
        ([_server(1), _broker(-1, broker_id="x")], "kafka--1 has broker.id 'x': expected a number"),
        ([_server(1), _broker(1, zookeeper_set_acl="true")], "kafka-1 has zookeeper.set.acl"),
        (
            [_server(1), _broker(1, zookeeper_metadata_migration_enable="true")],
            "kafka-1 is on its way from ZooKeeper to KRaft",
        ),
        ([_server(1)], "no container of it runs a Kafka"),
    ],
)
def test_whom_nobody_can_stand_in_for_is_refused_in_words(found: list[Found], why: str) -> None:
    with pytest.raises(UsageError, match=f"shop cannot be attached: .*{why}"):
        kafka_of("shop", found)


def test_a_number_that_nobody_was_told_is_read_where_it_was_written() -> None:
    held = Container("kafka", {"/data/meta.properties": b"version=0\nbroker.id=1003\n"})
    mine = Container("zookeeper", {"/zk/myid": b"2\n"})

    def number(found: Found, container: Container) -> int:
        return _written_number(replace(found, container=cast("Any", container)))

    assert number(_broker(-1), held) == 1003
    assert number(_broker(-1, broker_id="-1"), held) == 1003
    assert number(_broker(-1, broker_id="many"), held) == -1
    assert number(_server(-1), mine) == 2
    assert number(_server(-1), Container("zookeeper")) == -1


def test_servers_that_its_own_reconfiguration_has_written_elsewhere_are_read() -> None:
    servers = "".join(f"{name}={value}\n" for name, value in SERVERS.items())
    files = {
        "/opt/conf/zoo.cfg": b"dataDir=/zk\ndynamicConfigFile=/opt/conf/zoo.cfg.dynamic.1\n",
        "/opt/conf/zoo.cfg.dynamic.1": servers.encode(),
    }
    container = cast("Any", Container("zookeeper", files))

    told = _told(container, ["java", ZOOKEEPER, "conf/zoo.cfg"], "/opt")

    assert SERVERS.items() <= told.items()


def test_snapshots_and_logs_of_a_server_come_into_one_place(tmp_path: Path) -> None:
    files = {"/zk/myid": b"2", "/zk/version-2/snapshot.0": b"s", "/log/version-2/log.1": b"l"}
    found = replace(_server(202, dataLogDir="/log"), container=cast("Any", Container("z", files)))
    containers = SimpleNamespace(get=lambda _id: found.container)

    copy_of_server(cast("Any", SimpleNamespace(containers=containers)), found, tmp_path)

    copied = {str(each.relative_to(tmp_path)) for each in tmp_path.rglob("*") if each.is_file()}
    assert copied == {f"zookeeper-202-data/version-2/{each}" for each in ("snapshot.0", "log.1")}
