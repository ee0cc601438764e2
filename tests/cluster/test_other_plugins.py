"""Chaos tests in a project that has other plugins: asyncio, timeout, randomly, cov, rerunfailures.

They are in an environment of their own, on top of the one that these tests run in.
"""

from __future__ import annotations

import json
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

PLUGINS = Path(__file__).parents[1] / "beside.txt"
SUITE = """
import asyncio
import itertools
import threading

import pytest
from confluent_kafka import Producer
from highwater.harness.workloads.payload import encoder

PLAYS = itertools.count()


def test_passes(partition):
    partition.require_acked(partition.send(3))


@pytest.mark.asyncio
async def test_passes_in_a_loop(partition):
    await asyncio.sleep(0)
    partition.require_acked(partition.send(3))


@pytest.mark.asyncio
async def test_is_inconclusive_in_a_loop(partition):
    await asyncio.sleep(0)
    partition.require("the moon is full", False)


@pytest.mark.timeout(20)
def test_hangs(partition):
    partition.require_acked(partition.send(3))
    threading.Event().wait()


def test_reads_at_its_first_play_what_nobody_sent(play, partition):
    partition.send(3)
    if next(PLAYS) == 0:
        stranger = Producer({"bootstrap.servers": play.cluster.bootstrap})
        stranger.produce(partition.where.topic, encoder(64)(4711)[0], partition=0)
        stranger.flush()


def test_passes_when_others_are_over(partition):
    partition.require_acked(partition.send(3))


PLAIN = itertools.count()


def test_is_no_chaos_test_and_fails_once():
    assert next(PLAIN) == 1
"""
EXPECTED = {
    "test_passes": "passed",
    "test_passes_in_a_loop": "passed",
    "test_is_inconclusive_in_a_loop": "inconclusive",
    "test_hangs": "failed",
    "test_reads_at_its_first_play_what_nobody_sent": "failed",
    "test_passes_when_others_are_over": "passed",
}
OPTIONS = ["--reruns", "2", "--timeout", "200", "--cov", ".", "--highwater-report", "report"]
OPTIONS += ["-p", "no:cacheprovider", "-o", "asyncio_default_fixture_loop_scope=function"]


@dataclass(frozen=True)
class Finished:
    said: str
    tests: dict[str, dict[str, Any]]


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python that has everything this one has, and the plugins."""
    place = tmp_path_factory.mktemp("beside") / "venv"
    uv = f"{sysconfig.get_path('scripts')}/uv"
    subprocess.run([uv, "venv", "-q", "--python", sys.executable, place], check=True)
    python = place / "bin" / "python"
    install = [uv, "pip", "install", "-q", "--no-deps", "--python", str(python), "-r", str(PLUGINS)]
    subprocess.run(install, check=True)
    (own,) = place.glob("lib/python*/site-packages")
    ours = sysconfig.get_path("purelib")
    (own / "beside.pth").write_text(f"import site; site.addsitedir({ours!r})\n")
    return python


@pytest.mark.on_demand
@pytest.mark.parametrize("more", [(), ("-n", "2")], ids=["alone", "workers"])
def test_chaos_tests_come_to_the_same_beside_other_plugins(
    python: Path, tmp_path: Path, more: tuple[str, ...]
) -> None:
    (tmp_path / "test_six.py").write_text(SUITE, encoding="utf-8")

    done = subprocess.run(
        [str(python), "-m", "pytest", "-v", "-p", "randomly", *OPTIONS, *more],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=400,
    )

    said = done.stdout + done.stderr
    content = json.loads((tmp_path / "report" / "suite.json").read_text())
    tests = {each["test"].split("::")[1].partition("[")[0]: each for each in content["tests"]}
    assert {name: each["outcome"] for name, each in tests.items()} == EXPECTED, said
    assert all((tmp_path / "report" / each["run"] / "run.json").exists() for each in tests.values())
    (violated,) = tests["test_reads_at_its_first_play_what_nobody_sent"]["violated"]
    assert violated["claim"] == "phantom-read"
    assert "Timeout" in tests["test_hangs"]["reason"]
    assert "3 failed, 4 passed, 1 rerun" in said  # which is not ours
    assert "Using --randomly-seed" in said
    assert "test_six.py" in said.partition("tests coverage")[2]
    assert "highwater: the report is" in said
