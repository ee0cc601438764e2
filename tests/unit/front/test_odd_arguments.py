"""Whatever a chaos test is given, it is played, and its suite has a report."""

from __future__ import annotations

import json
from pathlib import Path

from tests.pytest_runs import run_pytest

from highwater.pytest_plugin import arguments
from highwater.reports import forms

SUITE = """
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


ODD = [Mute(), Nameless(), 1 << 63, 10**5000, 1e300, "\\ud800", "<b>\\0", Plain(), lambda: 1]


@pytest.mark.parametrize("odd", ODD, ids=[str(number) for number in range(len(ODD))])
def test_is_given(odd):
    pass
"""


def test_what_cannot_be_told_has_the_name_that_pytest_would_give_it(tmp_path: Path) -> None:
    (tmp_path / "test_odd.py").write_text(SUITE, encoding="utf-8")

    done = run_pytest(tmp_path, "--highwater-report", "report")

    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "report" / "report.html").exists()
    tests = json.loads((tmp_path / "report" / "suite.json").read_text())["tests"]
    assert [each["arguments"]["odd"] for each in tests] == [
        "odd0", "odd1", "odd2", "odd3", "odd4", "\ud800", "<b>\0", "odd7", "odd8",
    ]  # fmt: skip


def test_numbers_are_those_that_a_page_takes() -> None:
    assert arguments.MOST == forms.MOST
