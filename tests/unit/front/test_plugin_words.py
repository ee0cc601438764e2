"""What the plugin says of itself on pytest's command line, and which Kafkas its words mean."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest
from tests.pytest_runs import run_pytest

from highwater.harness.scenario import expectation
from highwater.harness.versions.catalogue import ladder_kafkas
from highwater.ladder import around_all_flips
from highwater.marking import Marked
from highwater.scenarios.catalogue import find_scenario

PLANNED = "--setup-plan"  # no fixture is set up and no test runs
SUITE = """
import pytest


@pytest.mark.highwater(kafka=">=0.10.2,<1")
def test_of_old_ones(play):
    pass
"""
BETWEEN = """
import pytest


@pytest.mark.highwater(kafka="==0.10.0.1")
def test_between_flips(play):
    pass
"""


def test_markers_are_documented_with_every_option(tmp_path: Path) -> None:
    told = run_pytest(tmp_path, "--markers").stdout

    (line,) = (line for line in told.splitlines() if line.startswith("@pytest.mark.highwater("))
    assert [each.name for each in fields(Marked) if each.name not in line] == []


def test_all_flips_are_the_releases_on_both_sides_of_each() -> None:
    flips = [kafka.name for kafka in around_all_flips()]

    strict = find_scenario("kip101-loss-strict")
    old, new = ("0.10.2.2", "0.11.0.3")
    found = {kafka.name: expectation(strict, kafka, None) for kafka in ladder_kafkas()}
    assert (found[old], found[new]) == ("reproduced", "clean")
    assert {old, new} <= set(flips)
    assert flips == [kafka.name for kafka in ladder_kafkas() if kafka.name in flips]
    assert "0.10.0.1" not in flips


def test_a_test_is_collected_for_the_flips_of_its_range(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(SUITE, encoding="utf-8")

    told = run_pytest(tmp_path, PLANNED, "-v", "--kafka", "all-flips", "--kafka", "0.10.2.2").stdout

    flips = [kafka.name for kafka in around_all_flips()]
    assert f"collected {len(flips)} items" in told
    assert "test_of_old_ones[0.11.0.3]" in told
    assert f"{len(flips) - 2} skipped" in told


def test_where_no_flip_is_in_the_range_it_is_refused_in_words(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(SUITE + BETWEEN, encoding="utf-8")

    done = run_pytest(tmp_path, "--kafka", "all-flips")

    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    (line,) = (line for line in done.stderr.splitlines() if "all-flips" in line)
    assert "test_it.py::test_between_flips: --kafka all-flips: expected a release beside" in line
    assert "0.10.2.2, 0.11.0.3" in line
