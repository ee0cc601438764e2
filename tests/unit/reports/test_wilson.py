"""Wilson's interval against published and obvious values."""

from __future__ import annotations

import pytest

from highwater.reports.wilson import interval


@pytest.mark.parametrize(
    ("hits", "trials", "low", "high"),
    [(2, 2, 0.342, 1.0), (0, 2, 0.0, 0.658), (3, 3, 0.438, 1.0), (5, 10, 0.237, 0.763)],
)
def test_few_trials_leave_a_wide_interval(hits: int, trials: int, low: float, high: float) -> None:
    assert interval(hits, trials) == pytest.approx((low, high), abs=0.001)


def test_no_trial_says_nothing() -> None:
    assert interval(0, 0) == (0.0, 1.0)


def test_more_trials_narrow_it() -> None:
    few, many = interval(3, 3), interval(30, 30)

    assert many[0] > few[0]
