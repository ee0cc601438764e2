"""What share groups accept is accepted once; what they are handed again is told, not charged."""

from __future__ import annotations

from typing import Any

import pytest
from tests.checkers.conftest import HELD, UNKNOWN, VIOLATED, Say, shared

pytestmark = pytest.mark.spark
CLAIM = "accepted-again"


def test_each_record_is_accepted_by_one_member(both_say: Say) -> None:
    said = both_say(CLAIM, shared(0, 3), shared(3, 5, "workers-2"), shared(5, 6))

    assert (said.answer, said.considered, said.anomalies) == (HELD, 3, 0)


def test_a_record_that_two_were_told_to_have_accepted_was_accepted_twice(both_say: Say) -> None:
    said = both_say(CLAIM, shared(0, 4), shared(3, 5, "workers-2"), shared(5, 6))

    assert (said.answer, said.considered, said.anomalies) == (VIOLATED, 3, 1)
    (witness,) = said.witnesses
    assert (witness["client"], witness["other"]) == ("workers-2", "workers-1")
    assert (witness["first_offset"], witness["end_offset"]) == (3, 5)


def test_the_same_member_accepts_a_record_once_too(both_say: Say) -> None:
    said = both_say(CLAIM, shared(7, 8), shared(7, 8, completed_ns=9))

    assert (said.answer, said.anomalies) == (VIOLATED, 1)


def test_a_long_span_overlaps_with_all_that_lie_in_it(both_say: Say) -> None:
    rows = [shared(at, at + 1, "workers-2") for at in (1, 5, 9)]

    said = both_say(CLAIM, shared(0, 9), rows)

    assert (said.anomalies, {one["other"] for one in said.witnesses}) == (2, {"workers-1"})


def test_what_is_handed_out_again_before_anybody_accepted_it_is_told(both_say: Say) -> None:
    handed = [shared(0, 3, f"workers-{each}", step="handed") for each in (1, 2)]

    said = both_say(CLAIM, handed, shared(0, 3, outcome="unknown"), shared(0, 3, "workers-2"))

    assert (said.answer, said.considered) == (HELD, 1)
    assert "1 spans of records that had been handed out before" in said.reason


@pytest.mark.parametrize("outcome", ["failed", "unknown"])
def test_what_was_not_confirmed_is_no_acceptance(outcome: str, both_say: Say) -> None:
    said = both_say(CLAIM, shared(0, 3), shared(0, 3, "workers-2", outcome=outcome))
    nothing = both_say(CLAIM, shared(0, 3, outcome=outcome))
    released = both_say(CLAIM, shared(0, 3, step="released"), shared(0, 3, step="released"))

    assert (said.answer, nothing.answer, released.answer) == (HELD, UNKNOWN, UNKNOWN)


@pytest.mark.parametrize("elsewhere", [{"group": "idlers"}, {"topic": "bills"}, {"partition": 1}])
def test_groups_and_partitions_have_nothing_to_do_with_each_other(
    elsewhere: dict[str, Any], both_say: Say
) -> None:
    said = both_say(CLAIM, shared(0, 3), shared(0, 3, **elsewhere))

    assert (said.answer, said.considered) == (HELD, 2)


@pytest.mark.parametrize("span", [(3, 3), (3, 1), (-2, 9)])
def test_a_span_of_nothing_is_none(span: tuple[int, int], both_say: Say) -> None:
    said = both_say(CLAIM, shared(0, 3), shared(*span))

    assert (said.answer, said.considered) == (HELD, 1)


def test_without_shares_nothing_is_known(both_say: Say) -> None:
    said = both_say(CLAIM)

    assert (said.answer, said.reason) == (UNKNOWN, "the record has no shares")
