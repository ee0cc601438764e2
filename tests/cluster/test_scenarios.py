"""The main job on real brokers: fails where it should, holds where it should, and says why."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families

LOSS = "kip101-loss-strict"
NO_CRASH = "kip101-loss-no-crash"
DIVERGENCE = "kip101-divergence"
FETCHES = "hw-two-fetches"
CONTROL = "ibp=0.11.0-IV1"
IN_SHARDS = ("-s", NO_CRASH, "-k", "0.10.2.2", "-k", "0.11.0.3", "-n", "1")
RERUNS = ("--reruns", "2")  # for trials that prove nothing; the last one of a cell is as asked


def compare(out: Path, *arguments: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "highwater.cli", "compare", "--out", str(out), *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=540,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    content: dict[str, Any] = json.loads((out / "compare.json").read_text())
    return content


@pytest.fixture(scope="module")
def old_and_fixed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """What `make demo` plays, once each, and the fetch-by-fetch scenario."""
    out = tmp_path_factory.mktemp("compared")
    names = [word for name in (LOSS, NO_CRASH, DIVERGENCE, FETCHES) for word in ("-s", name)]
    kafkas = ["-k", "0.10.2.2", "-k", "0.11.0.3", "--control", CONTROL]
    return out, compare(out, *names, *kafkas, "-n", "1", *RERUNS)


@pytest.fixture(scope="module")
def newest(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    out = tmp_path_factory.mktemp("newest")
    names = [word for name in (LOSS, NO_CRASH, DIVERGENCE, FETCHES) for word in ("-s", name)]
    return compare(out, *names, "-k", "4.1.1", "-n", "1", *RERUNS)


@pytest.fixture(scope="module")
def shards(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What two shards have played, and nobody has judged."""
    out = tmp_path_factory.mktemp("shards")
    for shard in ("1/2", "2/2"):
        command = [sys.executable, "-m", "highwater.cli", "compare", *IN_SHARDS]
        words = [*RERUNS, "--out", str(out), "--shard", shard]
        subprocess.run([*command, *words], check=True, timeout=300)
    return out


def test_what_shards_have_played_is_put_together_and_not_played_again(
    shards: Path, tmp_path: Path
) -> None:
    out = shutil.copytree(shards, tmp_path / "out")
    recorded = {path: path.stat().st_mtime_ns for path in out.glob("runs/**/run.json")}

    compared = compare(out, *IN_SHARDS, *RERUNS, "--resume")

    assert {path.parents[1].name for path in recorded} == {"0.10.2.2", "0.11.0.3"}
    assert recorded == {path: path.stat().st_mtime_ns for path in recorded}
    assert [(cell["kafka"], cell["as_expected"]) for cell in compared["cells"]] == [
        ("0.10.2.2", True),
        ("0.11.0.3", True),
    ]


def test_a_trial_that_proves_nothing_is_played_again_if_wanted(
    shards: Path, tmp_path: Path
) -> None:
    out = shutil.copytree(shards, tmp_path / "out")
    *unclear, run = sorted((out / "runs" / NO_CRASH / "0.11.0.3").glob("*/run.json"))
    told = json.loads(run.read_text())
    told["played"].update(complete=False, reason="the machine was busy")
    run.write_text(json.dumps(told))

    old, fixed = compare(out, *IN_SHARDS, "--resume", "--reruns", "4")["cells"]

    assert (old["reproduced"], old["as_expected"]) == (1, True)
    assert (fixed["clean"], fixed["as_expected"]) == (1, True)
    assert fixed["inconclusive"] > len(unclear)
    assert "the machine was busy" in fixed["reasons"]


@pytest.mark.parametrize("scenario", [LOSS, NO_CRASH, DIVERGENCE])
@pytest.mark.parametrize(
    ("kafka", "control", "shown"),
    [
        ("0.10.2.2", None, "reproduced"),
        ("0.11.0.3", None, "clean"),
        ("0.11.0.3", CONTROL, "reproduced"),
    ],
)
def test_the_failure_is_where_the_protocol_is_and_nowhere_else(
    old_and_fixed: tuple[Path, dict[str, Any]], scenario: str, kafka: str, control: str, shown: str
) -> None:
    cell = _cell(old_and_fixed[1], scenario, kafka, control)

    assert cell[shown] == cell["trials"] - cell["inconclusive"] == 1
    assert cell["as_expected"]


def test_ten_acknowledged_records_are_lost_and_no_replica_has_them(
    old_and_fixed: tuple[Path, dict[str, Any]],
) -> None:
    out, compared = old_and_fixed
    cell = _cell(compared, LOSS, "0.10.2.2", None)

    verdicts = json.loads((out / cell["runs"][-1] / "verdicts.json").read_text())["verdicts"]
    lost = next(verdict for verdict in verdicts if verdict["claim"] == "lost-write")
    assert lost["considered"] == 11
    assert lost["anomalies"] == 10
    assert {witness["still_on"] for witness in lost["witnesses"]} == {"none"}


def test_the_brokers_own_log_tells_of_the_truncation(
    old_and_fixed: tuple[Path, dict[str, Any]],
) -> None:
    out, compared = old_and_fixed
    cell = _cell(compared, NO_CRASH, "0.10.2.2", None)

    lines = (out / cell["runs"][-1] / "events.jsonl").read_text().splitlines()
    logged = [event["text"] for event in map(json.loads, lines) if event["kind"] == "log"]
    assert any("Truncating log" in text and "to offset 1" in text for text in logged)


@pytest.mark.on_demand(together="tests/cluster/test_scenarios.py[4.1.1]")
@pytest.mark.parametrize("scenario", [LOSS, NO_CRASH, DIVERGENCE, FETCHES])
def test_the_newest_kafka_holds(newest: dict[str, Any], scenario: str) -> None:
    cell = _cell(newest, scenario, "4.1.1", None)

    assert cell["clean"] == 1
    assert cell["as_expected"]


def test_report_and_junit_stand_beside_the_comparison(
    old_and_fixed: tuple[Path, dict[str, Any]],
) -> None:
    out, compared = old_and_fixed

    page = (out / "report.html").read_text()
    assert "10 of 11" in page
    assert (out / "junit.xml").read_text().count("<testcase") == len(compared["cells"])
    metrics = text_string_to_metric_families((out / "metrics.txt").read_text())  # type: ignore[no-untyped-call]
    told = {each.name: each.samples for each in metrics}
    assert sum(each.value for each in told["highwater_trials"]) == sum(
        cell["trials"] for cell in compared["cells"]
    )
    acked = [each for each in told["highwater_records"] if each.labels["result"] == "acked"]
    assert sum(each.value for each in acked) == sum(cell["acked"] for cell in compared["cells"])


def _cell(compared: dict[str, Any], scenario: str, kafka: str, control: str | None) -> Any:
    return next(
        cell
        for cell in compared["cells"]
        if (cell["scenario"], cell["kafka"], cell["control"]) == (scenario, kafka, control)
    )
