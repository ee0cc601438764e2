"""Chaos tests on a compose project with the layout of apache/kafka's image, which is given back."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cluster.operating import play_there, results_of
from tests.docker.foreign import APART, NAME, NODES, RECORDS, Foreign, read, send
from tests.docker.test_leftovers import ours

from highwater.harness.wait import wait_until

TESTS = """
import pytest
from highwater.faults.block_link import BlockLink
from highwater.faults.kill import Kill


def test_orders_go_on_without_their_leader(play):
    orders = play.topic("orders", partitions=2)
    with play.load(orders, rate_per_s=100) as load:
        load.await_acked(100)
        play.inject(Kill(orders[0].leader))
        load.await_acked(200)


@pytest.mark.highwater(settings={"replica.lag.time.max.ms": "4000"})
def test_orders_go_on_without_a_follower(play):
    orders = play.topic("orders")
    leader, follower, other = orders[0].replicas
    with play.load(orders, rate_per_s=100) as load:
        load.await_acked(100)
        play.inject(BlockLink(follower=follower, leader=leader))
        orders[0].await_isr(leader, other)
        load.await_acked(200)
"""
ENDLESS = """
def test_that_somebody_interrupts(play):
    with play.load(play.topic("orders"), rate_per_s=10) as load:
        load.await_acked(1_000_000)
"""


def _endless(folder: Path) -> list[str]:
    (folder / "test_orders.py").write_text(ENDLESS, encoding="utf-8")
    words = ["--kafka-attach", f"compose:{NAME}", "--i-own-this-cluster"]
    report = ["--highwater-report", str(folder / "report"), "-p", "no:cacheprovider"]
    return [sys.executable, "-m", "pytest", "test_orders.py", *words, *report]


@pytest.mark.on_demand
@pytest.mark.parametrize("foreign", [pytest.param((APART, "4.1.1"), id="4.1.1")], indirect=True)
def test_chaos_tests_play_on_a_cluster_of_a_foreign_file_which_is_given_back(
    foreign: Foreign, tmp_path: Path
) -> None:
    send()
    before, ids = ours(foreign.client), {each.id for each in foreign.containers}

    done = play_there(f"compose:{NAME}", tmp_path, TESTS, "--i-own-this-cluster", kafka=None)

    tests = results_of(tmp_path, done)
    assert done.returncode == 0, done.stdout + done.stderr
    assert [(each["outcome"], each["kafka"]) for each in tests] == [("passed", "4.1.1")] * 2
    for each in tests:
        assert f"--kafka-attach compose:{NAME} --i-own-this-cluster" in each["command"]
        identity = json.loads((tmp_path / "r" / each["run"] / "run.json").read_text())
        assert (identity["backend"], identity["project"]) == ("docker", NAME)
        assert identity["stands_in_for"] == NODES[APART]
    assert identity["settings"] == {"replica.lag.time.max.ms": "4000"}
    assert f"compose:{NAME}" in (tmp_path / "r" / "report.html").read_text()
    foreign.await_up()
    assert {each.id for each in foreign.containers} == ids
    assert read() == RECORDS
    wait_until(lambda: ours(foreign.client) <= before, "nothing of ours to be left", 60)


@pytest.mark.on_demand
@pytest.mark.parametrize("foreign", [pytest.param((APART, "4.1.1"), id="4.1.1")], indirect=True)
def test_a_foreign_cluster_is_given_back_when_its_tests_are_interrupted(
    foreign: Foreign, tmp_path: Path
) -> None:
    before, ids = ours(foreign.client), {each.id for each in foreign.containers}
    running = subprocess.Popen(
        _endless(tmp_path),
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=os.environ.copy(),
    )
    runs = tmp_path / "report" / "runs"
    wait_until(lambda: any(runs.rglob("events.jsonl")), "a test to be played", 240)
    assert not foreign.containers

    running.send_signal(signal.SIGINT)

    assert running.wait(120) == pytest.ExitCode.INTERRUPTED
    foreign.await_up()
    assert {each.id for each in foreign.containers} == ids
    wait_until(lambda: ours(foreign.client) <= before, "nothing of ours to be left", 60)
