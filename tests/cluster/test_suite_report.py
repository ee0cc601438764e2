"""A suite of eight tests: page, JUnit, JSON and pytest's own summary say the same of each."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families
from tests.pytest_runs import run_pytest

from highwater.checkers.catalogue import chosen

KAFKA = "4.1.1"
SUITE = """
import pytest
from confluent_kafka import Producer
from highwater.harness.workloads.payload import encoder
from highwater.scenarios.unclean_election import unclean_election

UNCLEAN = {"min.insync.replicas": "2", "unclean.leader.election.enable": "true"}


@pytest.fixture
def broken():
    raise RuntimeError("this fixture is broken")


def test_passes(partition):
    partition.require_acked(partition.send(3))


def test_fails_by_phantom_read(play, partition):
    partition.send(3)
    stranger = Producer({"bootstrap.servers": play.cluster.bootstrap})
    stranger.produce(partition.where.topic, encoder(64)(4711)[0], partition=0)
    stranger.flush()


@pytest.mark.highwater(topic=UNCLEAN, claims=("lost-write",))
def test_fails_by_lost_write(play, partition):
    unclean_election.play(play, partition)


def test_fails_by_its_own_assertion(partition):
    assert partition.send(3).acked == 4


def test_is_inconclusive_by_a_precondition(partition):
    partition.send(3)
    partition.require("the moon is full", False)


def test_is_inconclusive_without_evidence(partition):
    partition.look()


def test_has_a_broken_fixture(broken, play):
    partition.send(3)


@pytest.mark.skip(reason="not today")
def test_is_skipped(partition):
    partition.send(3)
"""
EXPECTED = {
    "test_passes": "passed",
    "test_fails_by_phantom_read": "failed",
    "test_fails_by_lost_write": "failed",
    "test_fails_by_its_own_assertion": "failed",
    "test_is_inconclusive_by_a_precondition": "inconclusive",
    "test_is_inconclusive_without_evidence": "inconclusive",
    "test_has_a_broken_fixture": "error",
    "test_is_skipped": "skipped",
}
PYTEST = {"passed": "PASSED", "failed": "FAILED", "inconclusive": "FAILED"}
PYTEST |= {"error": "ERROR", "skipped": "SKIPPED"}
JUNIT = {"passed": None, "failed": "failure", "inconclusive": "failure"}
JUNIT |= {"error": "error", "skipped": "skipped"}


@dataclass(frozen=True)
class Finished:
    folder: Path
    said: str  # by pytest

    @property
    def report(self) -> Path:
        return self.folder / "report"

    @property
    def suite(self) -> dict[str, Any]:
        content: dict[str, Any] = json.loads((self.report / "suite.json").read_text())
        return content

    def test(self, name: str) -> dict[str, Any]:
        (found,) = (each for each in self.suite["tests"] if f"::{name}[" in each["test"])
        return dict(found)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Finished:
    folder = tmp_path_factory.mktemp("suite")
    (folder / "test_eight.py").write_text(SUITE, encoding="utf-8")
    done = run_pytest(
        folder, "-v", "-rA", "--kafka", KAFKA, "--highwater-report", "report", timeout_s=400
    )
    return Finished(folder, done.stdout + done.stderr)


@pytest.mark.parametrize(("name", "outcome"), EXPECTED.items())
def test_pytest_json_and_junit_say_the_same_of_a_test(
    finished: Finished, name: str, outcome: str
) -> None:
    line = re.search(rf"^test_eight\.py::{name}\[{KAFKA}\] (\w+)", finished.said, re.MULTILINE)
    assert line, finished.said
    assert line.group(1) == PYTEST[outcome], finished.said

    told = finished.test(name)
    assert told["outcome"] == outcome
    assert told["pytest"] == [PYTEST[outcome].lower()]

    root = ET.parse(finished.report / "junit.xml").getroot()
    (case,) = (each for each in root[0] if each.get("name") == f"{name}[{KAFKA}]")
    (word,) = case.iter("property")
    assert (word.get("name"), word.get("value")) == ("outcome", outcome)
    tags = [each.tag for each in case if each.tag in {"failure", "error", "skipped"}]
    assert tags == [JUNIT[outcome]] * (outcome != "passed")


def test_the_counts_are_those_of_pytests_own_summary(finished: Finished) -> None:
    (summary,) = re.findall(r"=+ (5 failed, .*) in .*=+", finished.said)

    assert summary == "5 failed, 1 passed, 1 skipped, 1 error"
    suite = finished.suite
    assert suite["pytest"] == {"error": 1, "failed": 5, "passed": 1, "skipped": 1}
    assert suite["outcomes"] == {
        "error": 1, "failed": 3, "inconclusive": 2, "passed": 1, "skipped": 1,
    }  # fmt: skip
    junit = ET.parse(finished.report / "junit.xml").getroot()[0]
    counted = [junit.get(name) for name in ("tests", "failures", "errors", "skipped")]
    assert counted == ["8", "5", "1", "1"]


def test_the_metrics_are_those_of_the_same_tests(finished: Finished) -> None:
    text = (finished.report / "metrics.txt").read_text()
    told = {each.name: each.samples for each in text_string_to_metric_families(text)}  # type: ignore[no-untyped-call]

    states = {
        each.labels["test"].partition("::")[2].partition("[")[0]: each.labels["highwater_outcome"]
        for each in told["highwater_outcome"]
        if each.value == 1
    }
    assert states == EXPECTED
    lost = [each for each in told["highwater_anomalies"] if each.labels["claim"] == "lost-write"]
    assert sum(each.value for each in lost) == 10


def test_a_violated_claim_is_told_with_its_meaning_a_witness_and_the_reason(
    finished: Finished,
) -> None:
    lost = finished.test("test_fails_by_lost_write")

    (violated,) = lost["violated"]
    assert (violated["claim"], violated["anomalies"]) == ("lost-write", 10)
    assert violated["meaning"] == chosen(["lost-write"])[0].title
    assert re.match(r"value \d+, which producer-\d+ sent with acks=all", violated["witness"])
    assert "unclean.leader.election.enable=true: broker 3" in violated["likely"]
    assert "lost-write: 10 of 11" in finished.said
    assert violated["witness"] in finished.said
    assert violated["likely"] in finished.said


def test_a_read_that_nobody_sent_has_a_witness_and_no_made_up_reason(finished: Finished) -> None:
    (violated,) = finished.test("test_fails_by_phantom_read")["violated"]

    assert violated["claim"] == "phantom-read"
    assert "read value 4711 at offset 3" in violated["witness"]
    assert violated["likely"] == ""


def test_why_a_test_did_not_pass_is_told_in_its_own_words(finished: Finished) -> None:
    reasons = {name: finished.test(name)["reason"] for name in EXPECTED}

    assert reasons["test_passes"] == ""
    assert reasons["test_fails_by_its_own_assertion"] == "AssertionError: assert 3 == 4"
    assert reasons["test_is_inconclusive_by_a_precondition"].startswith("the moon is full: not so")
    assert reasons["test_is_inconclusive_without_evidence"].startswith(
        "no evidence for a claim that must hold: lost-write: "
    )
    assert "this fixture is broken" in reasons["test_has_a_broken_fixture"]
    assert reasons["test_is_skipped"] == "not today"
    assert "inconclusive: the moon is full: not so" in finished.said
    assert "the test stopped at test_eight.py:" in finished.said


def test_what_was_played_has_a_record_and_the_page_says_each_outcome(finished: Finished) -> None:
    played = {name: finished.test(name)["run"] for name in EXPECTED}

    assert [name for name, run in played.items() if run is None] == [
        "test_has_a_broken_fixture", "test_is_skipped",
    ]  # fmt: skip
    assert all((finished.report / run / "verdicts.json").exists() for run in played.values() if run)
    page = (finished.report / "report.html").read_text()
    assert "8 tests on Kafka 4.1.1: 3 failed, 2 inconclusive, 1 error, 1 passed, 1 skipped." in page
    assert str(finished.report) not in page + json.dumps(finished.suite)


def test_its_command_repeats_that_very_test_and_no_other(finished: Finished) -> None:
    program, *words = shlex.split(finished.test("test_is_inconclusive_without_evidence")["command"])
    assert program == "pytest"

    again = run_pytest(finished.folder, "-v", *words, timeout_s=400).stdout

    assert "collected 1 item" in again
    assert "test_eight.py::test_is_inconclusive_without_evidence[4.1.1] FAILED" in again
