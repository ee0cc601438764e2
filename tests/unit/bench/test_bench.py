"""A benchmark that fails on one Kafka says so, goes on, and has its row on the page."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests import kept_cells, results
from tests.bench import page
from tests.bench.effort import on_each, or_failed
from tests.bench.startup import plain_layout

from highwater.harness.errors import DeadlineError
from highwater.harness.jvm.runtime import Runtime
from highwater.harness.processes.ports import Ports
from highwater.harness.settings import broker_settings
from highwater.harness.versions.catalogue import Kafka, every_kafka


def test_a_kafka_that_fails_is_told_and_the_next_one_is_measured(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def measure(found: Runtime) -> dict[str, object]:
        if found.kafka.name == "0.10.2.2":
            raise DeadlineError("no broker in 90 s")
        return {"median": 3.5}

    found = on_each(["0.10.2.2", "4.1.1"], measure)

    assert found == {
        "0.10.2.2": {"failed": "DeadlineError: no broker in 90 s"},
        "4.1.1": {"median": 3.5},
    }
    assert capsys.readouterr().err == "0.10.2.2 failed: no broker in 90 s\n"


@pytest.mark.parametrize("kafka", every_kafka(), ids=lambda kafka: kafka.name)
def test_a_plain_broker_tells_its_peers_of_ports_on_which_it_listens(
    kafka: Kafka, tmp_path: Path
) -> None:
    with Ports() as ports:
        layout = plain_layout(kafka, ports, tmp_path)
        told = broker_settings(layout, 1, len(layout.brokers))

    assert _ports(told["advertised.listeners"]) == _ports(told["listeners"])


def _ports(listeners: str) -> list[str]:
    return re.findall(r":(\d+)", listeners)


def test_a_mistake_of_ours_is_no_figure() -> None:
    with pytest.raises(ZeroDivisionError):
        or_failed("startup", lambda: 1 // 0)


@pytest.fixture
def measured() -> dict[str, Any]:
    """What the last `make bench` has measured."""
    found: dict[str, Any] = json.loads((kept_cells.KEPT / "bench.json").read_text())
    return found


def test_what_failed_has_its_row_and_the_others_keep_theirs(measured: dict[str, Any]) -> None:
    before = page.bench_section(measured).splitlines()
    measured["startup"]["4.1.1"] = {"failed": "DeadlineError: no broker in 90 s"}
    measured["trial_seconds"]["4.1.1"] = {"failed": "DeadlineError: no broker in 90 s"}

    told = page.bench_section(measured).splitlines()

    (changed,) = set(told) - set(before)
    assert changed == "| 4.1.1 | failed | failed | failed | failed | failed | failed | failed |"


@pytest.mark.parametrize("part", ["startup", "gate_throughput", "recorded_throughput"])
def test_a_part_that_failed_leaves_the_rest_of_the_page(
    measured: dict[str, Any], part: str
) -> None:
    measured[part] = {"failed": "InfrastructureError: no Docker Engine answers"}

    assert "in containers: image built" in page.bench_section(measured)


def test_the_page_is_what_was_measured() -> None:
    assert page.bench_section(json.loads((kept_cells.KEPT / "bench.json").read_text())) in Path(
        results.PAGE
    ).read_text(encoding="utf-8")
