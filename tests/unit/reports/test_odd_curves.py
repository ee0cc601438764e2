"""Curves of suites that nobody would think of."""

from __future__ import annotations

from typing import Any

import pytest

from highwater.reports.curves import MOST_SERIES, families
from highwater.reports.suite import SuiteTest


def given(number: object, silent_ms: float | None = 5.0, **more: Any) -> SuiteTest:
    plain = {
        "test": f"test_wide.py::test_dies[{number}]", "outcome": "passed", "kafka": "4.4.0",
        "arguments": {"partitions": number}, "measures": {"silent_ms": silent_ms},
    }  # fmt: skip
    return SuiteTest(**{**plain, **more})


def test_numbers_that_are_one_as_floats_have_a_place_each() -> None:
    (family,) = families([given((1 << 60) + more) for more in range(3)])

    assert len(family.charts[0].curves[0].points) == 3


def test_tests_in_a_folder_with_a_bracket_in_its_name_are_not_one() -> None:
    tests = [
        given(number, test=f"of[1]/test_wide.py::test_{name}[{number}]")
        for name in ("dies", "freezes")
        for number in (1, 2, 3)
    ]

    assert [family.test for family in families(tests)] == [
        "of[1]/test_wide.py::test_dies", "of[1]/test_wide.py::test_freezes",
    ]  # fmt: skip


@pytest.mark.parametrize("first", [None, 0.0], ids=["never", "zeros"])
def test_where_only_series_that_are_not_drawn_have_a_curve_there_is_the_table(
    first: float | None,
) -> None:
    flat = [
        given(number, first, kafka=f"3.{at}.0") for at in range(MOST_SERIES) for number in (1, 2, 3)
    ]

    (family,) = families([*flat, *[given(number) for number in (1, 2, 3)]])

    assert family.charts == []
    assert len(family.lines) == MOST_SERIES + 1
