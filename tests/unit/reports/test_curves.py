"""What tests measured against a number that they were given."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from highwater.harness.errors import RecordError
from highwater.reports.curves import BOTTOM, LEFT, MOST_SERIES, RIGHT, TOP, Family, families
from highwater.reports.suite import SuiteTest, read_suite
from highwater.reports.suite_page import write_suite_page


def given(number: object, silent_ms: float | None, kafka: str = "4.4.0", **more: Any) -> SuiteTest:
    plain = {
        "test": f"test_wide.py::test_a_leader_dies[{kafka}-{number}]", "outcome": "passed",
        "kafka": kafka, "arguments": {"partitions": number}, "measures": {"silent_ms": silent_ms},
    }  # fmt: skip
    return SuiteTest(**{**plain, **more})


def only(tests: list[SuiteTest]) -> Family:
    (family,) = families(tests)
    return family


SIZES = [given(10, 3_000.0), given(100, 3_100.0), given(1_000, 6_000.0)]


def test_a_curve_goes_through_the_medians_from_the_least_number_to_the_largest() -> None:
    family = only([given(1_000, 8_000.0), *SIZES, given(1_000, 7_000.0)])

    assert (family.test, family.argument) == ("test_wide.py::test_a_leader_dies", "partitions")
    assert family.numbers == [10, 100, 1_000]
    (chart,) = family.charts
    assert chart.words == "after a fault, sends waited in vain"
    assert chart.most == "7,000 ms"
    (curve,) = chart.curves
    assert curve.words == "Kafka 4.4.0"
    xs, ys = zip(*curve.points, strict=True)
    assert xs == (LEFT, (LEFT + RIGHT) / 2, RIGHT)  # by ratios
    assert ys[-1] == TOP
    assert ys[0] == pytest.approx(BOTTOM - (BOTTOM - TOP) * 3 / 7, abs=0.1)


def test_near_numbers_stand_as_far_apart_as_they_are() -> None:
    (chart,) = only([given(1, 5.0), given(2, 6.0), given(5, 7.0)]).charts

    assert [x for x, _ in chart.curves[0].points] == [
        LEFT,
        round(LEFT + (RIGHT - LEFT) / 4, 1),
        RIGHT,
    ]


def test_each_kafka_backend_and_other_argument_has_a_curve_of_its_own() -> None:
    others = [
        *[given(number, 9.0, "0.10.2.2") for number in (10, 100, 1_000)],
        *[given(number, 9.0, backend="docker") for number in (10, 100, 1_000)],
        *[
            given(number, 9.0, arguments={"partitions": number, "acks": "all"})
            for number in (10, 100, 1_000)
        ],
    ]

    family = only([*SIZES, *others])

    assert family.series == [
        "Kafka 4.4.0", "Kafka 0.10.2.2", "Kafka 4.4.0, docker", "Kafka 4.4.0, acks=all",
    ]  # fmt: skip
    assert [curve.kind for curve in family.charts[0].curves] == [0, 1, 2, 3]


def test_what_never_came_is_no_point_and_is_told() -> None:
    family = only([*SIZES, given(1_000, None), given(5_000, None)])

    assert [line.texts for line in family.lines] == [
        ["3,000 ms", "3,100 ms", "6,000 ms; never in 1 of 2", "never in 1 of 1"]
    ]
    assert len(family.charts[0].curves[0].points) == 3


@pytest.mark.parametrize(
    "tests",
    [
        [],
        SIZES[:2],
        [given(number, 0.0) for number in (10, 100, 1_000)],
        [given(number, None) for number in (10, 100, 1_000)],
        [given(text, 3.0) for text in ("few", "some", "many")],
        [given(told, 3.0) for told in (True, False, 7)],
        [given(number, 3.0, arguments={}) for number in (10, 100, 1_000)],
        [given(number, 3.0, measures=None) for number in (10, 100, 1_000)],
        [given(number, 3.0, outcome="inconclusive") for number in (10, 100, 1_000)],
        [given(number, 3.0, f"4.{number}.0") for number in (1, 2, 3)],
    ],
    ids=[
        "nothing", "two numbers", "zeros", "never", "texts", "truth values", "no arguments",
        "no measures", "inconclusive", "each of another Kafka",
    ],
)  # fmt: skip
def test_what_is_no_curve_is_not_drawn(tests: list[SuiteTest]) -> None:
    assert families(tests) == []


def test_zeros_beside_a_curve_lie_on_the_axis() -> None:
    first = [given(number, 0.0, "0.10.2.2") for number in (10, 100, 1_000)]

    family = only([*first, *SIZES])

    zeros, _ = family.charts[0].curves
    assert {y for _, y in zeros.points} == {BOTTOM}


def test_of_very_many_series_the_first_are_drawn_and_all_are_in_the_table() -> None:
    many = [given(number, 5.0, f"3.{at}.0") for at in range(9) for number in (1, 2, 3)]

    family = only(many)

    assert len(family.charts[0].curves) == MOST_SERIES
    assert len(family.lines) == 9


def test_labels_of_numbers_do_not_lie_upon_one_another() -> None:
    (chart,) = only([given(number, 5.0) for number in range(1, 101)]).charts

    xs = [tick.x for tick in chart.ticks]
    assert (xs[0], xs[-1]) == (LEFT, RIGHT)
    assert min(after - before for before, after in pairwise(xs)) >= 40


def test_the_page_has_the_curves_and_their_figures(suites: ModuleType, tmp_path: Path) -> None:
    html = write_suite_page(tmp_path, read_suite(suites.of_sizes()), []).read_text()

    assert 'test_a_leader_of_many_dies <span class="quiet">by partitions</span>' in html
    assert '<td class="n">6,900 ms</td>' in html
    assert html.count('<path class="k1" d="M70 ') == 3
    plain = write_suite_page(tmp_path, read_suite(suites.content()), []).read_text()
    assert 'id="curves"' not in plain


def test_a_suite_of_other_arguments_is_refused(suites: ModuleType) -> None:
    odd = suites.row("test_one", "passed", ["passed"], arguments={"partitions": float("nan")})

    with pytest.raises(RecordError, match="arguments is"):
        read_suite(suites.content(tests=[odd]))
