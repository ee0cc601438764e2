"""An application made of each input what its contract says, or did not, or nobody can tell."""

from __future__ import annotations

from typing import Any

import pytest
from tests.checkers.conftest import HELD, UNKNOWN, VIOLATED, Row, Say, given, made, whole

pytestmark = pytest.mark.spark
CLAIM = "broken-contract"


def inputs(count: int, **more: Any) -> list[Row]:
    return [given(f"order {at}", at, **more) for at in range(count)]


def outputs(*of: int, **more: Any) -> list[Row]:
    return [made(f"order {each}", at, **more) for at, each in enumerate(of)]


def test_there_is_one_output_of_each_input(both_say: Say) -> None:
    said = both_say(CLAIM, inputs(3), outputs(0, 1, 2), whole())

    assert (said.answer, said.considered, said.anomalies) == (HELD, 3, 0)


def test_of_an_input_there_are_two_outputs(both_say: Say) -> None:
    said = both_say(CLAIM, inputs(3), outputs(0, 1, 2, 1), whole())

    assert (said.answer, said.considered, said.anomalies) == (VIOLATED, 3, 1)
    (witness,) = said.witnesses
    assert (witness["problem"], witness["identity"]) == ("too many", "order 1")
    assert (witness["topic"], witness["offset"], witness["outputs"]) == ("orders", 1, 2)
    assert (witness["output_topic"], witness["output_offset"]) == ("bills", 3)


def test_of_an_input_below_the_position_there_is_no_output(both_say: Say) -> None:
    said = both_say(CLAIM, inputs(3), outputs(0, 2), whole())

    assert (said.answer, said.anomalies) == (VIOLATED, 1)
    (witness,) = said.witnesses
    assert (witness["problem"], witness["offset"], witness["outputs"]) == ("missing", 1, 0)
    assert witness["output_topic"] is None


@pytest.mark.parametrize("position", [1, 0, None])
def test_of_what_the_application_is_not_done_with_there_need_be_none(
    position: int | None, both_say: Say
) -> None:
    said = both_say(CLAIM, inputs(3), outputs(0), whole(position))

    assert (said.answer, said.considered) == (HELD, 1)


@pytest.mark.parametrize("each", ["exactly", "at most"])
def test_an_application_that_did_nothing_was_not_tested(each: str, both_say: Say) -> None:
    said = both_say(CLAIM, inputs(3, each=each), whole(0))

    assert (said.answer, said.considered) == (UNKNOWN, 0)


def test_of_two_positions_the_lower_one_counts(both_say: Say) -> None:
    said = both_say(CLAIM, inputs(3), outputs(0), whole(3), whole(1))

    assert said.answer == HELD


def test_an_output_of_no_input_is_made_of_nothing(both_say: Say) -> None:
    said = both_say(CLAIM, inputs(1), outputs(0, 7), whole())

    (witness,) = said.witnesses
    assert (witness["problem"], witness["identity"]) == ("made of nothing", "order 7")
    assert (witness["topic"], witness["offset"]) == ("bills", 1)


def test_there_may_be_more_of_what_there_is_to_be_at_least_one(both_say: Say) -> None:
    said = both_say(CLAIM, inputs(2, each="at least"), outputs(0, 0, 1, 7), whole())
    none = both_say(CLAIM, inputs(2, each="at least"), outputs(0, 0), whole())

    assert (said.answer, said.considered) == (HELD, 3)
    assert "1 inputs of which there are several outputs" in said.reason
    assert "1 outputs of no input" in said.reason
    assert (none.answer, none.anomalies) == (VIOLATED, 1)


def test_there_may_be_none_of_what_there_is_to_be_at_most_one(both_say: Say) -> None:
    said = both_say(CLAIM, inputs(2, each="at most"), outputs(0), whole())
    twice = both_say(CLAIM, inputs(2, each="at most"), outputs(0, 0), whole())

    assert (said.answer, twice.answer, twice.anomalies) == (HELD, VIOLATED, 1)


def test_two_inputs_of_one_identity_have_two_outputs(both_say: Say) -> None:
    same = [given("order 0", 5), given("order 0", 6)]

    said = both_say(CLAIM, same, outputs(0, 0), whole())
    less = both_say(CLAIM, same, outputs(0), whole())
    more = both_say(CLAIM, same, outputs(0, 0, 0), whole())

    assert [each.answer for each in (said, less, more)] == [HELD, VIOLATED, VIOLATED]


def test_a_row_that_is_told_twice_counts_once(both_say: Say) -> None:
    said = both_say(CLAIM, inputs(2), inputs(2), outputs(0, 1), outputs(0, 1), whole())

    assert (said.answer, said.considered) == (HELD, 2)


def test_an_output_has_the_key_of_its_input(both_say: Say) -> None:
    both = inputs(2, keeps="key")

    said = both_say(CLAIM, both, outputs(0, 1), whole())
    other = both_say(CLAIM, both, made("order 0", 0), made("order 1", 1, key_hash=8), whole())
    untold = both_say(CLAIM, both, made("order 0", 0), made("order 1", 1, key_hash=None), whole())
    free = both_say(CLAIM, inputs(2), outputs(0, 1, key_hash=8), whole())

    assert (said.answer, said.considered) == (HELD, 4)
    assert (other.answer, other.witnesses[0]["problem"]) == (VIOLATED, "another key")
    assert (untold.answer, free.answer) == (UNKNOWN, HELD)


def test_outputs_come_in_the_order_of_inputs(both_say: Say) -> None:
    three = inputs(3, keeps="order")

    said = both_say(CLAIM, three, outputs(0, 1, 2), whole())
    late = both_say(CLAIM, three, outputs(0, 2, 1), whole())
    free = both_say(CLAIM, inputs(3), outputs(0, 2, 1), whole())

    assert (said.answer, free.answer) == (HELD, HELD)
    (witness,) = late.witnesses
    assert (witness["problem"], witness["identity"]) == ("out of order", "order 1")
    assert witness["output_offset"] == 2


def test_what_is_made_once_more_later_is_not_out_of_order(both_say: Say) -> None:
    said = both_say(CLAIM, inputs(3, each="at least", keeps="order"), outputs(0, 1, 0, 1, 2),
                    whole())  # fmt: skip

    assert said.answer == HELD


def test_partitions_have_no_order_among_them(both_say: Say) -> None:
    three = [given("order 0", 0), given("order 1", 1), given("order 2", 0, partition=1)]
    ordered = [(table, {**row, "keeps": "order"}) for table, row in three]
    there = [made("order 1", 0), made("order 0", 0, partition=1), made("order 2", 1)]

    assert both_say(CLAIM, ordered, there, whole()).answer == HELD


def test_an_output_that_nobody_can_make_out_may_be_the_missing_one(both_say: Say) -> None:
    said = both_say(CLAIM, inputs(2), outputs(0), made(None, 5), whole())

    assert (said.answer, said.anomalies) == (UNKNOWN, 0)
    assert "nobody could make out what some outputs were made of" in said.reason


def test_an_input_that_nobody_can_make_out_may_be_what_an_output_is_made_of(both_say: Say) -> None:
    said = both_say(CLAIM, given(None, 0), given("order 1", 1), outputs(0, 1), whole())
    twice = both_say(CLAIM, given(None, 5), given("order 1", 1), outputs(1, 1), whole(2))

    assert (said.answer, twice.answer) == (UNKNOWN, UNKNOWN)


def test_nothing_is_missing_where_nobody_read_all_outputs(both_say: Say) -> None:
    said = both_say(CLAIM, inputs(2), outputs(0), whole(9, "inputs-end"))
    more = both_say(CLAIM, inputs(2), outputs(0, 0, 1), whole(9, "inputs-end"))

    assert (said.answer, more.answer) == (UNKNOWN, VIOLATED)


def test_nothing_is_too_much_where_nobody_read_all_inputs(both_say: Say) -> None:
    said = both_say(CLAIM, inputs(2), outputs(0, 1, 2), whole(9, "outputs-end"))
    less = both_say(CLAIM, inputs(2), outputs(0), whole(9, "outputs-end"))

    assert (said.answer, less.answer) == (UNKNOWN, VIOLATED)


def test_contracts_have_nothing_to_do_with_each_other(both_say: Say) -> None:
    other = [given("order 0", 0, contract="mailing"), *whole(9, contract="mailing")]

    said = both_say(CLAIM, inputs(1), outputs(0), whole(), other)

    assert (said.answer, said.considered) == (VIOLATED, 2)
    assert said.witnesses[0]["contract"] == "mailing"


def test_without_inputs_nobody_says_what_there_should_be(both_say: Say) -> None:
    said = both_say(CLAIM, outputs(0, 1), whole())
    nothing = both_say(CLAIM)

    assert (said.answer, said.considered) == (UNKNOWN, 0)
    assert nothing.reason == "the record has no contracts"
