"""Chaos tests of applications, played by a pytest of their own: programs, and how tests ended."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.pytest_runs import run_pytest

from highwater.harness.foreign.java import NEEDED
from highwater.harness.jvm.java import find_java
from highwater.harness.record.reader import open_run
from highwater.harness.versions.catalogue import find_kafka
from highwater.harness.versions.jars import jars_named

PATIENCE_S = 540.0  # several plays, each with a program that may be compiled first
PROGRAMS = Path(__file__).parent / "programs"


def java(source: str, artifacts: Sequence[str] = (), jars: Sequence[Path] = ()) -> list[str]:
    """A command that runs a program from its source, with jars of Kafka 4.1.1, and these."""
    locked = jars_named(find_kafka("4.1.1"), [*NEEDED, *artifacts])
    path = ":".join(map(str, [*locked, *jars]))
    return [str(find_java().path), "-Xmx256m", "-cp", path, str(PROGRAMS / source)]


def played(folder: Path, kafka: str, suite: str, *options: str) -> Sequence[dict[str, Any]]:
    """What the report says of each test of a suite, with its record."""
    (folder / "test_suite.py").write_text(suite)
    report = folder / "report"
    words = ["-q", "--kafka", kafka, f"--highwater-report={report}", *options, "test_suite.py"]
    done = run_pytest(folder, *words, timeout_s=PATIENCE_S)
    assert (report / "suite.json").exists(), done.stdout + done.stderr
    tests: Sequence[dict[str, Any]] = json.loads((report / "suite.json").read_text())["tests"]
    return [{**each, "record": open_run(report / each["run"])} for each in tests]


def end_of(test: dict[str, Any]) -> tuple[str, dict[str, set[str]]]:
    """What became of it, and how each claim is violated that is."""
    told = json.loads((test["record"].path / "verdicts.json").read_text())["verdicts"]
    witnesses = {each["claim"]: each["witnesses"] for each in told}
    violated = [each["claim"] for each in test["violated"]]
    return test["outcome"], {
        claim: {each.get("problem", "") for each in witnesses[claim]} for claim in violated
    }
