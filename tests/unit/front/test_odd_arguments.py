"""Whatever a chaos test is given, it is played, and its suite has a report."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

from tests.pytest_runs import run_pytest

from highwater.pytest_plugin import arguments
from highwater.reports import forms

SUITE = """
import enum

import pytest

pytestmark = pytest.mark.highwater


class Mute:
    def __repr__(self):
        raise ValueError("no words")


class Nameless:
    @property
    def __name__(self):
        raise ValueError("no name")


class Plain:
    pass


class Level(str, enum.Enum):
    HIGH = "high"


class Right(enum.Flag):
    READ = 1
    WRITE = 2


def dying_after(seconds):
    def dies():
        return seconds

    class Dies:
        pass

    return dies, Dies


ALIKE = [*dying_after(1), *dying_after(5), "x" * 80 + "1", "x" * 80 + "5"]
FLAGS = [Right(0), Right.READ, Right.READ | Right.WRITE, Level.HIGH]
ODD = [Mute(), Nameless(), 1 << 63, 10**5000, 1e300, "\\ud800", "<b>\\0", Plain(), lambda: 1]


@pytest.mark.parametrize("odd", ODD, ids=[str(number) for number in range(len(ODD))])
def test_is_given(odd):
    pass


@pytest.mark.parametrize("flag", FLAGS)
def test_is_given_flags(flag):
    pass


@pytest.mark.parametrize("alike", ALIKE)
def test_is_given_what_has_one_name(alike):
    pass
"""


def test_what_cannot_be_told_has_the_name_that_pytest_would_give_it(tmp_path: Path) -> None:
    (tmp_path / "test_odd.py").write_text(SUITE, encoding="utf-8")

    done = run_pytest(tmp_path, "--highwater-report", "report")

    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "report" / "report.html").exists()
    tests = json.loads((tmp_path / "report" / "suite.json").read_text())["tests"]
    told: dict[str, list[Any]] = defaultdict(list)
    for each in tests:
        ((name, argument),) = each["arguments"].items()
        told[name].append(argument)
    assert told["odd"] == [
        "odd0", "odd1", "odd2", "odd3", "odd4", "\ud800", "<b>\0", "odd7", "odd8",
    ]  # fmt: skip
    assert told["flag"] == ["flag0", "READ", "READ|WRITE", "HIGH"]
    assert len({*told["alike"]}) == len(told["alike"]) == 6


def test_numbers_are_those_that_a_page_takes() -> None:
    assert arguments.MOST == forms.MOST
