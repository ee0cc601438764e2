"""Curves of suites that nobody would think of."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from highwater.reports.curves import MEASURED_OUT, MOST_SERIES, families
from highwater.reports.suite import SuiteTest

DIGIT = 6.7  # user units; of a comma half of it


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


def width_of(label: str) -> float:
    return sum(DIGIT if each.isdigit() else DIGIT / 2 for each in label)


@pytest.mark.parametrize(
    "numbers",
    [
        [1 << 20, 10 << 20, 50 << 20, 100 << 20],
        [at * 0.1 for at in range(1, 10)],
        [-(1 << 62), 0, 1 << 62],
        [1, 2, 1 << 62],
    ],
    ids=["bytes", "tenths", "largest", "one and the largest"],
)
def test_labels_fit_beside_one_another_and_into_the_picture(numbers: list[float]) -> None:
    ((chart,),) = (family.charts for family in families([given(each) for each in numbers]))

    halves = [(tick.middle, width_of(tick.label) / 2) for tick in chart.ticks]
    ends = [(middle - half, middle + half) for middle, half in halves]
    assert ends[0][0] >= 0
    assert ends[-1][1] <= MEASURED_OUT["width"]
    assert all(before[1] <= after[0] for before, after in pairwise(ends))


def test_a_label_has_no_more_digits_than_anybody_reads() -> None:
    (family,) = families([given(at * 0.1) for at in (1, 2, 3)])

    assert [tick.label for tick in family.charts[0].ticks] == ["0.1", "0.2", "0.3"]
