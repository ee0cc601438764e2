"""What an attached cluster lacks is said before anything is played there."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.pytest_runs import PATIENCE_S

from highwater.backends import ATTACHED, Backend
from highwater.checkers.catalogue import claims
from highwater.faults.kill import Kill
from highwater.faults.pause import Pause
from highwater.harness.attached import AttachedCluster
from highwater.harness.cluster import EVERYTHING
from highwater.harness.fitting import misfit
from highwater.harness.hooks import Hooks
from highwater.harness.versions.catalogue import find_kafka
from highwater.reach import fault_classes, reach

KAFKA = find_kafka("4.1.1")
KILLS = Hooks(kill="k", start="s")
PAUSES = Hooks(pause="p", resume="r")
BOTH = Hooks(kill="k", start="s", pause="p", resume="r")
OF_CLIENTS = ["KillClient", "PauseClient"]  # which need nothing of a cluster
FAULTS = "faults that can be injected there: KillClient, PauseClient, and what consists of them ("


@pytest.mark.parametrize(
    ("hooks", "injectable"),
    [
        (None, OF_CLIENTS),
        (KILLS, sorted(["Kill", *OF_CLIENTS])),
        (PAUSES, sorted(["Pause", *OF_CLIENTS])),
        (BOTH, sorted(["Kill", "Pause", *OF_CLIENTS])),
    ],
)
def test_every_fault_is_injectable_or_refused_as_it_would_be_in_a_play(
    hooks: Hooks | None, injectable: list[str]
) -> None:
    backend = Backend(ATTACHED, bootstrap="127.0.0.1:1", hooks=hooks)
    cluster = AttachedCluster(KAFKA, "127.0.0.1:1", hooks=hooks)

    found = reach(backend.has)

    refused = [name for names in found.refused.values() for name in names]
    everybody = {each.__name__: each for each in fault_classes()}
    assert found.injectable == injectable
    assert sorted([*injectable, *refused, *found.combining]) == sorted(everybody)
    assert [
        name
        for name in [*injectable, *refused]
        if bool(misfit(everybody[name], cluster.spec, ATTACHED, cluster.has)) != (name in refused)
    ] == []


def test_hooks_that_only_kill_refuse_to_pause_and_say_what_is_missing() -> None:
    cluster = AttachedCluster(KAFKA, "127.0.0.1:1", hooks=KILLS)

    assert misfit(Kill(1), cluster.spec, ATTACHED, cluster.has) == ""
    assert misfit(Pause(1), cluster.spec, ATTACHED, cluster.has) == (
        "Pause needs pauses, a way to freeze a broker: this cluster has nodes, kills"
    )


def test_claims_are_open_for_want_of_what_they_are_judged_on() -> None:
    found = reach(frozenset())

    assert found.unknown["links"] == ["follower-high-watermark", "leader-high-watermark"]
    assert "replica-divergence" in found.unknown["files"]
    assert "lost-write" not in found.unknown["files"]
    assert not reach(EVERYTHING).unknown
    assert {name for names in found.unknown.values() for name in names} < {
        each.name for each in claims()
    }


@pytest.mark.parametrize(
    "more",
    [
        pytest.param([], id="plain"),
        pytest.param(["-q"], id="quiet"),
        pytest.param(["-n1"], id="workers", marks=pytest.mark.on_demand),
    ],
)
def test_it_is_said_before_the_first_test_and_on_the_page(tmp_path: Path, more: list[str]) -> None:
    (tmp_path / "test_it.py").write_text(
        "import pytest\n\ndef test_sound(play):\n    pass\n", encoding="utf-8"
    )
    options = ["--kafka=4.1.1", "--kafka-attach=127.0.0.1:1", "--highwater-report=r", *more]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *options],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )

    assert f"highwater: {FAULTS}" in done.stdout
    assert done.stdout.index(FAULTS) < done.stdout.index("no bootstrap server answers")
    assert "refused for want of links (a gate between brokers): AnswerRequests" in done.stdout
    assert "UNKNOWN for want of files" in done.stdout
    told = json.loads((tmp_path / "r" / "suite.json").read_text())["attached"]
    page = (tmp_path / "r" / "report.html").read_text()
    assert told == reach(frozenset()).described()
    assert page.index(FAULTS) < page.index('<h2 id="results">')


def test_who_attaches_nothing_is_told_nothing(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text("def test_sound(): ...\n", encoding="utf-8")
    words = [
        "-m",
        "pytest",
        "-p",
        "no:cacheprovider",
        "--kafka-attach=127.0.0.1:1",
        "--kafka=4.1.1",
    ]
    done = subprocess.run(
        [sys.executable, *words],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )

    assert done.returncode == 0
    assert "highwater:" not in done.stdout
