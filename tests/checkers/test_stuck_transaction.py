"""Transactions that are decided and not completed, and those that are: literal histories."""

from __future__ import annotations

from typing import Any

import pytest
from tests.checkers.conftest import HELD, UNKNOWN, VIOLATED, Row, Say, decided, producer

pytestmark = pytest.mark.spark

CLAIM, S = "stuck-transaction", 10**9


def told(*at_s: float, **more: Any) -> list[Row]:
    return [decided(each, **more) for each in at_s]


def complete(second: float, **more: Any) -> Row:
    return decided(second, "CompleteCommit", **more)


def test_one_that_stays_decided_for_longer_than_its_markers_may_take_is_charged(
    both_say: Say,
) -> None:
    said = both_say(CLAIM, decided(0, "Ongoing"), told(1, 20, 41.1), healed_ns=0)

    assert (said.answer, said.considered, said.anomalies) == (VIOLATED, 1, 1)
    assert said.witnesses == [
        {"transactional_id": "tx", "producer_id": 7, "epoch": 0, "state": "PrepareCommit",
         "coordinator": 1, "since_ns": S, "until_ns": 41_100_000_000}
    ]  # fmt: skip


def test_one_that_is_to_be_aborted_is_charged_as_well(both_say: Say) -> None:
    said = both_say(CLAIM, told(1, 42, state="PrepareAbort"), healed_ns=0)

    assert said.answer is VIOLATED


def test_it_is_charged_though_it_was_completed_in_the_end(both_say: Say) -> None:
    said = both_say(CLAIM, told(1, 42), complete(43), healed_ns=0)

    assert said.answer is VIOLATED


def test_one_that_is_completed_in_time_is_as_it_should_be(both_say: Say) -> None:
    said = both_say(CLAIM, told(1, 40.9), complete(41), complete(90), healed_ns=0)

    assert (said.answer, said.considered, said.reason) == (HELD, 1, "")


def test_one_that_is_open_may_be_so_for_as_long_as_its_producer_likes(both_say: Say) -> None:
    said = both_say(CLAIM, told(1, 90, state="Ongoing"), healed_ns=0)

    assert said.answer is HELD


def test_transactions_one_after_the_other_are_told_apart_by_when_they_began(
    both_say: Say,
) -> None:
    rows = [decided(second, began_ms=second) for second in range(90)]

    said = both_say(CLAIM, rows, complete(90, began_ms=89), healed_ns=0)

    assert said.answer is HELD


@pytest.mark.parametrize("other", [{"coordinator": 2}, {"epoch": 1}, {"producer_id": 8}])
def test_another_coordinator_or_producer_begins_anew(both_say: Say, other: dict[str, Any]) -> None:
    rows = [*told(1, 25), *told(26, 60, **other), complete(61, **other)]

    assert both_say(CLAIM, rows, healed_ns=0).answer is HELD


def test_another_decision_is_another_one(both_say: Say) -> None:
    rows = [*told(1, 25), *told(26, 60, state="PrepareAbort"), complete(61)]

    assert both_say(CLAIM, rows, healed_ns=0).answer is HELD


def test_each_transactional_id_is_one_of_its_own(both_say: Say) -> None:
    other = told(2, 43, transactional_id="other")

    said = both_say(CLAIM, told(1, 20), complete(21), other, healed_ns=0)

    assert (said.considered, said.anomalies) == (2, 1)


def test_what_was_decided_while_faults_were_in_effect_is_not_charged(both_say: Say) -> None:
    rows = [*told(1, 60), complete(61)]

    assert both_say(CLAIM, rows, healed_ns=21 * S).answer is HELD
    assert both_say(CLAIM, rows, healed_ns=19 * S).answer is VIOLATED


def test_nobody_can_tell_where_nobody_told_when_all_was_healed(both_say: Say) -> None:
    said = both_say(CLAIM, told(1, 60), healed_ns="soon")

    assert said.answer is UNKNOWN
    assert "nobody told from when on no fault was in effect" in said.reason


def test_one_that_is_decided_at_the_last_look_may_be_completed_yet(both_say: Say) -> None:
    said = both_say(CLAIM, told(1, 20), healed_ns=0)

    assert said.answer is UNKNOWN
    assert "may be completed yet" in said.reason


def test_a_record_without_such_looks_tells_nothing(both_say: Say) -> None:
    said = both_say(CLAIM, producer(), healed_ns=0)

    assert (said.answer, said.reason) == (UNKNOWN, "the record has no transaction_states")
