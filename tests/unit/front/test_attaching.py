"""Where a test may be played: on a cluster that is attached, and on brokers that are voters."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.pytest_runs import PATIENCE_S

from highwater.backends import ATTACHED, Backend
from highwater.faults.kill import Kill
from highwater.harness.addresses import addresses
from highwater.harness.cluster import ClusterSpec
from highwater.harness.errors import UsageError
from highwater.harness.versions.catalogue import find_kafka
from highwater.marking import MADE_OF, Marked

THERE = Backend(ATTACHED, bootstrap="127.0.0.1:1")
KRAFT, ZOOKEEPER = find_kafka("4.1.1"), find_kafka("0.11.0.3")


@pytest.mark.parametrize("name", MADE_OF)
def test_what_an_attached_cluster_is_made_of_is_not_for_a_marker_to_say(name: str) -> None:
    said: dict[str, Any] = {"voters": 3, "heap_mib": 512, "settings": {"num.io.threads": "2"}}
    marked = Marked(**{name: said.get(name, True)})

    assert f"the marker highwater, {name}=" in marked.misfit(KRAFT, THERE, [])
    assert marked.misfit(KRAFT, Backend(), []) == ""


def test_what_a_test_does_there_is_for_its_marker_to_say() -> None:
    marked = Marked(replicas=2, topic={"min.insync.replicas": "1"}, limits={"longest_gap_ms": 9e3})

    assert marked.misfit(KRAFT, THERE, ["a rack"]) == ""
    assert marked.misfit(KRAFT, THERE, [Kill(1)]).startswith("Kill needs nodes")


def test_what_needs_files_need_not_have_evidence_where_there_are_none() -> None:
    assert Marked().needs_evidence_for(THERE) == ("lost-write",)
    assert Marked(claims=("unseen",)).needs_evidence_for(THERE) == ("unseen",)


def test_brokers_are_voters_where_there_is_kraft() -> None:
    marked = Marked(voters=3, combined=True)

    assert marked.spec == ClusterSpec(voters=3, combined=True, quiet_replication_links=False)
    assert marked.spec.key != Marked(voters=3).spec.key
    assert marked.misfit(KRAFT, Backend(), []) == ""
    assert marked.misfit(ZOOKEEPER, Backend(), []) == (
        "combined=True needs KRaft: the brokers of Kafka 0.11.0.3 keep no metadata"
    )


def test_voters_that_are_brokers_need_as_many_brokers() -> None:
    with pytest.raises(UsageError, match="3 voters that are brokers need as many brokers, not 2"):
        ClusterSpec(brokers=2, voters=3, combined=True)


@pytest.mark.parametrize(
    "bootstrap",
    [
        "", ",", "h", "h:", ":1", "h:0", "h:65536", "h:-1", "h:" + "9" * 5_000, "h:²", "h:1,,h:2",
        "http://127.0.0.1:1", "PLAINTEXT://h:9092", "h:1/", "a b:1", "::1:9092", "[h]:1", "h\n:1",
    ],
)  # fmt: skip
def test_what_is_no_address_is_refused_and_shown_as_a_whole(bootstrap: str) -> None:
    with pytest.raises(UsageError) as refused:
        addresses(bootstrap)

    assert f"as HOST:PORT,HOST:PORT, saw {bootstrap!r:.120}, of which" in str(refused.value)


def test_hosts_are_names_or_addresses_of_either_kind() -> None:
    assert addresses("kafka-1.example.org:9092, 127.0.0.1:1,[::1]:65535,b_1:2") == [
        ("kafka-1.example.org", 9092), ("127.0.0.1", 1), ("::1", 65535), ("b_1", 2),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--kafka-attach", "nowhere", "--kafka=4.1.1"], "expected bootstrap servers as HOST:PORT"),
        (
            ["--kafka-attach", "127.0.0.1:1", "--kafka=4.1.1", "--kafka-backend=docker"],
            "its brokers run where they run; leave --kafka-backend out",
        ),
        (["--kafka-attach", "127.0.0.1:1"], "say which Kafka it is, once"),
        (["--kafka-attach", "http://127.0.0.1:1", "--kafka=4.1.1"], "expected bootstrap servers"),
        (["--kafka-attach", "127.0.0.1:1", "--kafka=4.1.1", "--kafka=3.9.1"], "say which Kafka"),
        (["--kafka-attach", "127.0.0.1:1", "--kafka=0.11.0.3"], "Kafka 0.11.0.3 cannot be attach"),
    ],
    ids=["no address", "docker", "no Kafka", "a scheme", "two Kafkas", "ZooKeeper"],
)
def test_a_cluster_that_cannot_be_attached_is_refused_at_the_collection(
    tmp_path: Path, options: list[str], said: str
) -> None:
    (tmp_path / "test_it.py").write_text("def test_sound(play): ...\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *options],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )

    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert f"--kafka-attach: {said}" in done.stderr
    assert "Traceback" not in done.stderr
