"""The action and the GitLab template, played: their scripts as they stand, in a clean copy."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import platformdirs
import pytest
from tests import ci_steps, clean_copies

from highwater.harness.versions.cache import cache_dir

SUITE = """
import pytest


def test_passes(partition):
    partition.require_acked(partition.send(3))


def test_more_than_was_sent_is_expected(partition):
    assert partition.send(3).acked == 4


@pytest.mark.timeout(60)
def test_needs_what_the_project_asks_for():
    assert True
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A stranger's, with a requirement of its own."""
    folder = tmp_path / "project"
    (folder / "tests").mkdir(parents=True)
    (folder / "tests" / "test_orders.py").write_text(SUITE, encoding="utf-8")
    (folder / "requirements.txt").write_text("pytest-timeout==2.4.0\n", encoding="utf-8")
    return folder


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return clean_copies.copy_to(tmp_path / "copy")


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`python` is the one that made our environment, and not the environment's."""
    place = tmp_path / "tools"
    place.mkdir()
    for name in ("python", "python3"):
        program = f'#!/bin/sh\nexec {sys._base_executable} "$@"\n'  # type: ignore[attr-defined]
        (place / name).write_text(program)
        (place / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{place}:/usr/local/bin:/usr/bin:/bin")


def _restore_caches(jars: Path, packages: Path) -> None:
    """What a cache that was hit puts there: this machine's own."""
    jars.parent.mkdir(parents=True, exist_ok=True)
    jars.symlink_to(cache_dir())
    packages.symlink_to(platformdirs.user_cache_dir("uv"))


def _is_published(report: Path, said: str) -> None:
    assert "1 failed, 2 passed" in said
    for name in ("report.html", "junit.xml", "summary.md", "metrics.txt"):
        assert (report / name).exists(), said
    assert json.loads((report / "suite.json").read_text())["outcomes"] == {"failed": 1, "passed": 1}
    assert ET.parse(report / "junit.xml").getroot()[0].get("failures") == "1"


@pytest.mark.on_demand
@pytest.mark.usefixtures("tools")
def test_the_steps_of_the_action_end_as_the_tests_do(
    project: Path, copy: Path, tmp_path: Path
) -> None:
    temporary = tmp_path / "runner"
    _restore_caches(temporary / "highwater-jars", temporary / "highwater-uv")
    inputs = {"requirements": "requirements.txt", "tests": "tests -k 'passes or expected or asks'"}
    runner = ci_steps.Runner(project, copy, temporary, inputs)

    runner.play()

    said = "\n".join(runner.said)
    assert runner.codes == {
        "Key of the caches": 0, "Install": 0, "Fetch Kafkas": 0, "Play": 1, "Summary": 0,
    }, said  # fmt: skip
    _is_published(project / "highwater-report", said)
    assert runner.summary.read_text() == (project / "highwater-report" / "summary.md").read_text()


@pytest.mark.on_demand
@pytest.mark.usefixtures("tools")
def test_the_script_of_the_template_ends_as_the_tests_do(project: Path, copy: Path) -> None:
    _restore_caches(project / ".highwater" / "jars", project / ".highwater" / "uv")
    _, jobs = ci_steps.template(highwater=str(copy))

    code, said = ci_steps.play_job(project, jobs["chaos-tests"])

    assert code == 1, said
    _is_published(project / "highwater-report", said)
