"""What is found in a foreign compose project: who can be stood in for, and who not, and why."""

from __future__ import annotations

import io
import os
import tarfile
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from highwater.compose import asking
from highwater.compose.asking import Found, _number, _release, _told
from highwater.compose.copying import divide, forget_election
from highwater.compose.fit import MOST_BYTES, _size, kafka_of, members_in
from highwater.compose.fit_together import divided, stopping_order
from highwater.compose.stand_ins import _line
from highwater.harness.errors import InfrastructureError, UsageError
from highwater.harness.jvm.runtime import ZOOKEEPER
from highwater.harness.properties import properties_in

JAR = "kafka_2.13-4.1.1.jar"
QUORUM = "controller.quorum.voters"
PLAIN: dict[str, Any] = {"HostConfig": {}}
REMOVED = {"HostConfig": {"AutoRemove": True}}
THREE = "7@a:1,8@b:1,9@c:1"
LINE = (
    "/opt/java/bin/java",
    "-Xmx1G",
    "-Xlog:gc*:file=/x.log",
    "-cp",
    "a.jar",
    "kafka.Kafka",
    "/p",
)


def _node(number: int, role: str, release: str = "4.1.1", **changed: str) -> Found:
    settings = {"node.id": str(number), "process.roles": role, QUORUM: "1@controller:9093"}
    settings |= {"log.dirs": "/data", "message.max.bytes": "7"}
    settings |= {"listeners": "PLAINTEXT://:9092", "ssl.keystore.location": "/x"}
    settings |= {name.replace("_", "."): value for name, value in changed.items()}
    container = cast("Any", SimpleNamespace(labels={}, name=f"node-{number}", attrs=PLAIN))
    told = {name: value for name, value in settings.items() if value}
    number = _number(told)
    return Found(
        container=container, pid=0, line=LINE, settings=told, release=release, number=number
    )


def _nodes(**changed: str) -> list[Found]:
    return [_node(1, "controller"), *(_node(each, "broker", **changed) for each in (4, 5, 6))]


def test_nodes_keep_their_numbers_and_what_they_say_but_not_where_they_are() -> None:
    found = _nodes()

    members = members_in(found)

    assert kafka_of("shop", found).name == "4.1.1"
    assert members.brokers == {each: {"message.max.bytes": "7"} for each in (4, 5, 6)}
    assert members.voters == {1: {"message.max.bytes": "7"}}


def test_brokers_may_be_the_three_controllers_as_well() -> None:
    both = [_node(each, "broker,controller", controller_quorum_voters=THREE) for each in (7, 8, 9)]
    more = _node(11, "broker", controller_quorum_voters=THREE)

    members = members_in([*both, more])

    assert kafka_of("shop", [*both, more]).name == "4.1.1"
    assert [*members.brokers] == [7, 8, 9, 11]
    assert [*members.voters] == [7, 8, 9]


def test_a_broker_that_is_the_one_controller_plays_as_two_nodes() -> None:
    brokers = [_node(each, "broker") for each in (2, 104)]
    found = [_node(1, "broker,controller"), *brokers]

    members = members_in(found)

    assert kafka_of("shop", found).name == "4.1.1"
    assert [*members.brokers] == [1, 2, 104]
    assert [*members.voters] == [105]
    assert divided(found) == {1: 105}


def test_of_three_controllers_those_that_are_brokers_play_as_two_nodes_unless_all_are() -> None:
    roles = {7: "broker,controller", 8: "controller", 9: "broker,controller"}
    found = [_node(each, role, controller_quorum_voters=THREE) for each, role in roles.items()]

    members = members_in(found)

    assert kafka_of("shop", found).name == "4.1.1"
    assert [*members.brokers] == [7, 9]
    assert [*members.voters] == [100, 8, 101]
    assert divided(found) == {7: 100, 9: 101}


def test_who_elects_is_stopped_after_those_who_say_goodbye_to_it() -> None:
    roles = {1: "broker,controller", 2: "broker", 3: "broker", 4: "controller"}
    found = [_node(each, role) for each, role in roles.items()]

    stopped = [[each.number for each in several] for several in stopping_order(found)]

    assert stopped == [[2, 3], [1], [4]]


def test_a_node_that_is_divided_has_the_log_of_the_metadata_twice_and_its_election_never(
    tmp_path: Path,
) -> None:
    own, other, log = tmp_path / "data-1", tmp_path / "data-100", "__cluster_metadata-0"
    with pytest.raises(InfrastructureError, match="among what data-1 is a copy of, saw none"):
        divide(own, other, 100)
    (own / log).mkdir(parents=True)
    (own / "orders-0").mkdir()
    (own / log / "0.log").write_bytes(b"records")
    (own / log / "quorum-state").write_text("{}")
    (own / "meta.properties").write_text("node.id=1\ncluster.id=abc\ndirectory.id=xyz\n")

    divide(own, other, 100)
    for each in (own, other):
        forget_election(each)

    assert {str(each.relative_to(other)) for each in other.rglob("*")} == {
        log,
        f"{log}/0.log",
        "meta.properties",
    }
    told = properties_in((other / "meta.properties").read_bytes())
    assert told == {"node.id": "100", "cluster.id": "abc"}
    assert [each.name for each in (own / log).iterdir()] == ["0.log"]
    assert b"directory.id=xyz" in (own / "meta.properties").read_bytes()


@pytest.mark.parametrize(
    ("found", "why"),
    [
        ([], "no container of it runs a Kafka"),
        (_nodes(process_roles=""), "node-4, node-5, node-6 need ZooKeeper, and node-1 not"),
        (_nodes(log_dirs="/a,/b"), "node-4 has several directories of data, /a, /b"),
        (_nodes(metadata_log_dir="/m"), "node-4 has several directories of data, /data, /m"),
        (_nodes(controller_quorum_voters=""), r"node-4 has no controller.quorum.voters"),
        (_nodes(release=""), "node-4 has no kafka_2.1x-RELEASE.jar"),
        (_nodes(release="4.0.0"), "several releases, 4.0.0, 4.1.1"),
        (_nodes(node_id="4"), "several clusters"),
        (_nodes(log_dirs="data"), "node-4 has its data at data: expected an absolute path"),
        (_nodes(node_id="${env:ID}"), r"node-4 has node.id '\$\{env:ID\}': expected a number"),
        (_nodes(controller_quorum_voters="${env:V}"), r"voters '\$\{env:V\}': expected ID@HOST"),
        (_nodes(controller_quorum_voters="1@a:1,1@b:1"), "expected each voter once"),
        (_nodes()[1:], r"its voters are \[1\], and of these there run \[\]"),
        (
            [_node(each, "controller", controller_quorum_voters="1@a:1,2@b:2") for each in (1, 2)],
            "it has 2 voters",
        ),
        ([_node(1, "controller", "7.7.1-ccs")], "its jars are of 7.7.1-ccs"),
    ],
)
def test_whom_nobody_can_stand_in_for_is_refused_in_words(found: list[Found], why: str) -> None:
    with pytest.raises(UsageError, match=f"shop cannot be attached: .*{why}"):
        kafka_of("shop", found)


def test_data_behind_a_link_are_refused_before_anything_is_stopped(tmp_path: Path) -> None:
    (tmp_path / "data").symlink_to(tmp_path)
    found = replace(_node(4, "broker", log_dirs=str(tmp_path / "data")), pid=os.getpid())

    with pytest.raises(UsageError, match=r"node-4 has its data at .*, which is a link"):
        kafka_of("shop", [found])


def test_data_in_memory_are_refused_before_anything_is_stopped() -> None:
    found = replace(_node(4, "broker", log_dirs="/dev/shm/data"), pid=os.getpid())

    with pytest.raises(UsageError, match="node-4 has its data in memory, at /dev/shm/data"):
        kafka_of("shop", [found])


def test_what_is_removed_when_it_stops_is_refused_before_that() -> None:
    found = _node(4, "broker")
    removed = cast("Any", SimpleNamespace(**{**vars(found.container), "attrs": REMOVED}))

    with pytest.raises(UsageError, match="node-4 was started with --rm"):
        kafka_of("shop", [replace(found, container=removed)])


def test_an_index_that_is_long_and_empty_is_not_too_much_to_copy(tmp_path: Path) -> None:
    with (tmp_path / "0.index").open("wb") as file:
        file.truncate(MOST_BYTES + 1)

    assert _size(tmp_path) < MOST_BYTES / 1000


def test_a_zookeeper_of_another_program_is_not_asked_for_where_no_broker_needs_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    other = replace(_node(-1, ""), line=("java", ZOOKEEPER, "/zoo.cfg"))
    containers = {"a": other, **{each.service: each for each in _nodes()}}
    monkeypatch.setattr(asking, "_asked", containers.__getitem__)
    client = SimpleNamespace(containers=SimpleNamespace(list=lambda **_chosen: [*containers]))

    found = asking.found_in(cast("Any", client), "shop")

    assert [each.service for each in found] == ["node-1", "node-4", "node-5", "node-6"]


def test_metadata_may_lie_where_the_logs_do() -> None:
    assert kafka_of("shop", _nodes(metadata_log_dir="/data")).name == "4.1.1"


def test_its_jvm_keeps_its_options_but_writes_no_files_of_its_own() -> None:
    found = _node(4, "broker")

    told = _line(found, Path("/w/broker-4.properties"), Path("/w/broker-4.log"))

    assert told == (
        "exec /opt/java/bin/java -Duser.timezone=UTC -Xmx1G -cp a.jar kafka.Kafka "
        "/w/broker-4.properties >> /w/broker-4.log 2>&1"
    )


def test_its_release_is_that_of_its_jars_named_or_found(tmp_path: Path) -> None:
    (tmp_path / JAR).touch()

    for path in (f":/opt/x.jar:/opt/kafka/bin/../libs/{JAR}", f"/nowhere/*:{tmp_path}/*"):
        assert _release(os.getpid(), ["java", "-cp", path, "kafka.Kafka", "p"]) == "4.1.1"
    assert not _release(os.getpid(), ["java", "-cp", "/opt/kafka-clients-4.1.1.jar", "kafka.Kafka"])


class _Holding:
    """A container with one file."""

    name = "kafka-1"

    def get_archive(self, place: str) -> tuple[list[bytes], dict[str, str]]:
        assert place == "/opt/config/server.properties"
        content, packed = b"node.id=1\nlog.dirs=/data\n", io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w") as tar:
            member = tarfile.TarInfo("server.properties")
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
        return [packed.getvalue()], {}


def test_what_it_is_told_is_its_file_and_its_command_line() -> None:
    line = ["java", "kafka.Kafka", "config/server.properties", "--override", "node.id=7"]

    assert _told(cast("Any", _Holding()), line, "/opt") == {"node.id": "7", "log.dirs": "/data"}
    with pytest.raises(UsageError, match="kafka-1 runs a Kafka without a configuration"):
        _told(cast("Any", _Holding()), line[:2], "/opt")
