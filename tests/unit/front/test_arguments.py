"""What chaos tests were given is in suite.json, by name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.pytest_runs import run_pytest

SUITE = """
import enum

import pytest

pytestmark = pytest.mark.highwater


class Mode(enum.Enum):
    KRAFT = 1


def as_json():
    pass


SECRET = {"password": "secret"}
GIVEN = [10, 0.5, True, "many", as_json, float("inf"), "x" * 300, None, Mode.KRAFT, SECRET]


@pytest.mark.parametrize("partitions", GIVEN)
@pytest.mark.parametrize("acks", ["all"])
def test_is_given(partitions, acks):
    pass


def test_is_given_nothing():
    pass
"""
LONG = f"{'x' * 80}… (partitions6)"


@pytest.mark.parametrize("more", [(), ("-n1",)], ids=["one process", "workers"])
def test_numbers_are_numbers_and_everything_else_is_a_text(
    tmp_path: Path, more: tuple[str, ...]
) -> None:
    (tmp_path / "test_given.py").write_text(SUITE, encoding="utf-8")

    run_pytest(tmp_path, "--highwater-report", "report", *more)

    tests = json.loads((tmp_path / "report" / "suite.json").read_text())["tests"]
    given = [each["arguments"] for each in tests]
    assert {told.get("acks") for told in given} == {"all", None}
    assert [told["partitions"] for told in given if told] == [
        10, 0.5, True, "many", "as_json", "partitions5", LONG, "None", "KRAFT", "partitions9",
    ]  # fmt: skip
    assert given[-1] == {}
