"""What groups commit: each claim accepts, refuses and declines to decide."""

from __future__ import annotations

import pytest
from tests.checkers.conftest import (
    HELD,
    UNKNOWN,
    VIOLATED,
    commit,
    judged,
)

from highwater.harness.model import Verdict

pytestmark = pytest.mark.spark


@judged("commit-regression", commit(3), commit(5, (2, 3)), commit(5, (4, 5), client="billing-2"),
        commit(9, (6, 7)))  # fmt: skip
def test_positions_that_rise_or_stay_are_in_order(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered, verdict.anomalies) == (HELD, 4, 0)


@judged("commit-regression", commit(5), commit(3, (2, 3), client="billing-2"), commit(4, (4, 5)),
        commit(7, (6, 7)))  # fmt: skip
def test_a_position_below_one_that_was_confirmed_before_has_gone_back(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered, verdict.anomalies) == (VIOLATED, 4, 2)
    found = [(one["client"], one["offset"], one["after_offset"]) for one in verdict.witnesses]
    assert sorted(found) == [("billing-1", 4, 5), ("billing-2", 3, 5)]


@judged("commit-regression", commit(9), commit(5, (2, 3)), commit(7, (4, 5)))
def test_the_highest_position_counts_and_not_the_last(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.anomalies) == (VIOLATED, 2)


@judged("commit-regression", commit(5, (0, 3)), commit(3, (2, 4)), commit(2, (3, 5)))
def test_commits_under_way_at_one_moment_have_no_order(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.anomalies) == (HELD, 0)


@judged("commit-regression", commit(5), commit(3, (2, 3), outcome="failed"),
        commit(2, (4, None), outcome="invoked"), commit(1, (6, 7), outcome="unknown"))  # fmt: skip
def test_a_commit_that_was_refused_or_never_answered_takes_nothing_back(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered) == (HELD, 1)


@judged("commit-regression", commit(5), commit(3, (2, 3), group="audit"),
        commit(2, (2, 3), partition=1), commit(1, (2, 3), topic="events"))  # fmt: skip
def test_other_groups_and_partitions_have_positions_of_their_own(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered) == (HELD, 4)


@judged("commit-regression", commit(5), commit(3, (7, 6)))
def test_a_commit_whose_clock_ran_backwards_is_held_against_nothing(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered, verdict.anomalies) == (UNKNOWN, 2, 0)
    assert "a clock ran backwards" in verdict.reason


@judged("commit-regression", commit(5, (0, None)), commit(3, (2, 3)))
def test_a_commit_that_was_confirmed_at_an_unknown_moment_makes_a_doubt(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered) == (UNKNOWN, 2)


@judged("commit-regression", commit(-1), commit(-1001, (2, 3)))
def test_what_is_no_offset_is_no_position(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered) == (UNKNOWN, 0)
