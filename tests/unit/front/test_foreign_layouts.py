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

from highwater.compose.asking import Found, _release, _told
from highwater.compose.fit import kafka_of, members_in
from highwater.compose.stand_ins import _line
from highwater.harness.errors import UsageError

JAR = "kafka_2.13-4.1.1.jar"
QUORUM = "controller.quorum.voters"
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
    container = cast("Any", SimpleNamespace(labels={}, name=f"node-{number}"))
    told = {name: value for name, value in settings.items() if value}
    return Found(container=container, pid=0, line=LINE, settings=told, release=release)


def _nodes(**changed: str) -> list[Found]:
    return [_node(1, "controller"), *(_node(each, "broker", **changed) for each in (4, 5, 6))]


def test_nodes_keep_their_numbers_and_what_they_say_but_not_where_they_are() -> None:
    found = _nodes()

    members = members_in(found)

    assert kafka_of("shop", found).name == "4.1.1"
    assert members.brokers == {each: {"message.max.bytes": "7"} for each in (4, 5, 6)}
    assert members.voters == {1: {"message.max.bytes": "7"}}


@pytest.mark.parametrize(
    ("found", "why"),
    [
        ([], "no container of it runs a Kafka"),
        (_nodes(process_roles=""), "node-4 needs ZooKeeper"),
        ([_node(1, "broker,controller")], "node-1 is broker and controller at once"),
        (_nodes(log_dirs="/a,/b"), "node-4 has several directories of data, /a, /b"),
        (_nodes(metadata_log_dir="/m"), "node-4 has several directories of data, /data, /m"),
        (_nodes(controller_quorum_voters=""), r"node-4 has no controller.quorum.voters"),
        (_nodes(release=""), "node-4 has no kafka_2.1x-RELEASE.jar"),
        (_nodes(release="4.0.0"), "several releases, 4.0.0, 4.1.1"),
        (_nodes(node_id="4"), "several clusters"),
        (_nodes(log_dirs="data"), "node-4 has its data at data: expected an absolute path"),
        (_nodes(node_id="${env:ID}"), r"node-4 has node.id '\$\{env:ID\}': expected a number"),
        (_nodes(controller_quorum_voters="${env:V}"), r"voters '\$\{env:V\}': expected ID@HOST"),
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


def test_metadata_may_lie_where_the_logs_do() -> None:
    assert kafka_of("shop", _nodes(metadata_log_dir="/data")).name == "4.1.1"


def test_its_jvm_keeps_its_options_but_writes_no_files_of_its_own() -> None:
    told = _line(LINE, Path("/w/broker-4.properties"), Path("/w/broker-4.log"))

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
    attrs = {"Config": {"WorkingDir": "/opt"}}  # noqa: RUF012 - as Docker's client has it

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

    assert _told(cast("Any", _Holding()), line) == {"node.id": "7", "log.dirs": "/data"}
    with pytest.raises(UsageError, match="kafka-1 runs a Kafka without a configuration"):
        _told(cast("Any", _Holding()), line[:2])
