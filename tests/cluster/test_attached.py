"""Somebody else's cluster, given by its bootstrap servers: what can be played there."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.cluster.operating import play_there, results_of

from highwater.harness.cluster import ClusterSpec
from highwater.harness.jvm.runtime import Runtime
from highwater.harness.kafka_cluster import KafkaCluster
from highwater.harness.processes.site import ProcessSite
from highwater.harness.record.reader import open_run

SUITE = """
import pytest
from highwater.faults.pause import Pause


def test_a_load_and_a_group(play):
    orders = play.topic("orders", partitions=3)
    with play.group("billing", orders, members=2) as billing:
        with play.load(orders, rate_per_s=200) as load:
            load.await_acked(400)
        billing.await_caught_up()


def test_a_broker_that_is_stopped_all_the_same(play, partition):
    partition.send(3)
    play.inject(Pause(1))


def test_a_word_that_needs_more_than_an_address(play, partition):
    partition.send(3)
    play.add_broker()


@pytest.mark.highwater(claims=("replica-divergence",))
def test_a_claim_that_needs_files(play, partition):
    partition.send(3)
"""

REFUSED = """
import pytest
from highwater.faults.kill import Kill


@pytest.mark.parametrize("fault", [Kill(1)])
def test_a_fault_by_name(play, fault):
    play.inject(fault)


@pytest.mark.highwater(settings={"min.insync.replicas": "1"})
def test_settings(play):
    pass
"""


@pytest.fixture(scope="module", params=["4.1.1"])
def cluster(
    request: pytest.FixtureRequest,
    prepared: Callable[[str], Runtime],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[KafkaCluster]:
    """One that an operator might have: with no gate, and settings of its own."""
    site = ProcessSite(prepared(request.param), tmp_path_factory.mktemp("theirs") / "cluster")
    spec = ClusterSpec(gated=False, quiet_replication_links=False)
    with KafkaCluster(site, spec) as started:
        yield started


@pytest.fixture(scope="module")
def played(
    cluster: KafkaCluster, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, dict[str, Any]]:
    folder = tmp_path_factory.mktemp("suite")
    done = play_there(cluster.bootstrap.partition(",")[0], folder, SUITE)
    tests = results_of(folder, done)
    return folder / "r", {each["test"].partition("::")[2].partition("[")[0]: each for each in tests}


def test_a_load_and_a_group_are_judged_by_what_they_saw(
    played: tuple[Path, dict[str, Any]],
) -> None:
    report, tests = played
    test = tests["test_a_load_and_a_group"]

    run = open_run(report / test["run"])
    answers = {each.claim: each for each in run.verdicts()}
    assert test["outcome"] == "passed", test["text"]
    assert (report / "report.html").exists()
    assert answers["lost-write"].answer == "HELD"
    assert answers["lost-write"].considered >= 400
    assert answers["unprocessed"].answer == "HELD"
    assert answers["leader-out-of-sync"].answer == "HELD"  # brokers tell it to whoever asks
    assert (run.identity["backend"], run.identity["voters"]) == ("attached", None)


def test_claims_about_files_are_unknown_and_say_why(played: tuple[Path, dict[str, Any]]) -> None:
    report, tests = played
    answers = {
        each.claim: each
        for each in open_run(report / tests["test_a_load_and_a_group"]["run"]).verdicts()
    }

    for claim in ("replica-divergence", "log-not-contiguous", "epoch-checkpoint", "unseen"):
        assert answers[claim].answer == "UNKNOWN"
        assert "the record has no replica_logs: the cluster is attached" in answers[claim].reason
    asked = tests["test_a_claim_that_needs_files"]
    assert asked["outcome"] == "inconclusive"
    assert "its files are out of reach" in asked["reason"]


def test_what_was_said_before_the_run_is_what_came_of_it(
    cluster: KafkaCluster, played: tuple[Path, dict[str, Any]]
) -> None:
    report, tests = played
    told = json.loads((report / "suite.json").read_text())["attached"]
    verdicts = open_run(report / tests["test_a_load_and_a_group"]["run"]).verdicts()
    answers = {each.claim: each.answer for each in verdicts}
    first = cluster.bootstrap.partition(",")[0]
    asked = subprocess.run(
        [sys.executable, "-m", "highwater.cli", "reach", first, "-k", cluster.kafka.name, "--json"],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )

    unknown = [claim for claims in told["unknown"].values() for claim in claims]
    assert len(unknown) == 8
    assert {answers[claim] for claim in unknown} == {"UNKNOWN"}
    assert "Pause" in told["refused"]["nodes"]
    shown = json.loads(asked.stdout)
    assert shown["brokers"] == {str(each): cluster.address(each) for each in cluster.brokers}
    assert {name: shown[name] for name in told} == told


@pytest.mark.parametrize(
    ("name", "who"),
    [
        ("test_a_broker_that_is_stopped_all_the_same", "Pause"),
        ("test_a_word_that_needs_more_than_an_address", "what is to be done"),
    ],
)
def test_what_needs_more_than_an_address_is_refused_in_a_sentence(
    played: tuple[Path, dict[str, Any]], name: str, who: str
) -> None:
    test = played[1][name]

    assert test["outcome"] == "failed"
    assert test["reason"] == (
        f"UsageError: {who} needs nodes, brokers that can be stopped and started: this cluster "
        "has nothing but the addresses of its brokers"
    )


def test_nothing_of_ours_stays_and_nothing_of_theirs_has_changed(
    cluster: KafkaCluster, played: tuple[Path, dict[str, Any]]
) -> None:
    report, tests = played
    named = [
        name
        for each in tests.values()
        for name in open_run(report / each["run"]).identity.get("topics", {})
    ]

    assert len(named) == 4
    for name in named:
        cluster.nodes.await_serving(1)
        assert not cluster.metadata.has_topic(name)
    assert all(cluster.nodes.running(each) for each in cluster.nodes.numbers)


def test_what_can_never_be_there_is_refused_before_anything_starts(
    cluster: KafkaCluster, tmp_path: Path
) -> None:
    done = play_there(cluster.bootstrap.partition(",")[0], tmp_path, REFUSED)

    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "Kill needs nodes, brokers that can be stopped and started" in done.stderr
    assert "a cluster that is attached (--kafka-attach) is made of what it is" in done.stderr
    assert not (tmp_path / "r").exists()
