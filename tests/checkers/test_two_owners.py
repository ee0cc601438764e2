"""Who holds a partition, and works on it while another one holds it too: literal histories."""

from __future__ import annotations

from typing import Any

import pytest
from tests.checkers.conftest import HELD, UNKNOWN, VIOLATED, Row, Say, assigned, processed

pytestmark = pytest.mark.spark

FIRST, SECOND = "billing-1", "billing-2"


def held(client: str, since_ns: int, until_ns: int | None, what: str = "revoked") -> list[Row]:
    ended = [] if until_ns is None else [assigned(until_ns, client, what)]
    return [assigned(since_ns, client), *ended]


def worked(client: str, *moments: int, **more: Any) -> list[Row]:
    return [processed(at, at + 1, client=client, completed_ns=at, **more) for at in moments]


def test_owners_one_after_the_other_are_in_order(both_say: Say) -> None:
    rows = held(FIRST, 0, 10) + held(SECOND, 20, 30) + held(FIRST, 40, 50, "lost")

    said = both_say("two-owners", rows, worked(FIRST, 5, 45), worked(SECOND, 25))

    assert (said.answer, said.considered, said.reason) == (HELD, 3, "")


def test_who_works_on_what_another_has_been_given_meanwhile_is_told(both_say: Say) -> None:
    rows = held(FIRST, 0, 40, "lost") + held(SECOND, 20, None)

    said = both_say("two-owners", rows, worked(FIRST, 5, 35), worked(SECOND, 25))

    assert (said.answer, said.considered, said.anomalies) == (VIOLATED, 2, 1)
    assert said.witnesses == [
        {"topic": "orders", "partition": 0, "group": "billing", "client": SECOND, "at_ns": 20,
         "other": FIRST}
    ]  # fmt: skip


def test_it_is_one_anomaly_for_each_time_that_the_partition_was_given_to_somebody(
    both_say: Say,
) -> None:
    rows = held(FIRST, 0, 90, "lost") + held(SECOND, 20, 30) + held("billing-3", 40, 50)
    work = worked(FIRST, 25, 45) + worked(SECOND, 26) + worked("billing-3", 46)

    said = both_say("two-owners", rows, work)

    assert (said.answer, said.considered, said.anomalies) == (VIOLATED, 3, 2)
    assert {each["other"] for each in said.witnesses} == {FIRST}


@pytest.mark.parametrize(
    ("first", "second"),
    [((5,), (25,)), ((35,), ()), ((5, 35), (45,)), ((45,), (25,)), ((), ())],
    ids=["before", "the other not", "after", "given up before", "neither"],
)
def test_who_holds_a_partition_too_and_does_not_work_on_it_is_only_told(
    first: tuple[int, ...], second: tuple[int, ...], both_say: Say
) -> None:
    rows = held(FIRST, 0, 40, "lost") + held(SECOND, 20, 50)
    elsewhere = processed(0, 1, partition=1)

    said = both_say("two-owners", rows, worked(FIRST, *first), worked(SECOND, *second), elsewhere)

    assert (said.answer, said.considered) == (HELD, 2)
    assert said.reason == (
        "1 times a partition was held by two, of whom one at most worked on it (allowed)"
    )


def test_a_member_that_was_killed_holds_nothing_that_it_does_not_work_on(both_say: Say) -> None:
    rows = held(FIRST, 0, None) + held(SECOND, 20, 50)

    said = both_say("two-owners", rows, worked(FIRST, 5), worked(SECOND, 25))

    assert (said.answer, said.reason) == (HELD, "")


def test_who_is_back_under_its_name_did_not_hold_it_all_the_time(both_say: Say) -> None:
    rows = held(FIRST, 0, None) + held(SECOND, 20, None) + held(FIRST, 30, 40)
    again = held(SECOND, 50, 60)

    said = both_say("two-owners", rows, worked(FIRST, 5, 35), worked(SECOND, 25))
    both = both_say("two-owners", rows, again, worked(FIRST, 5, 35), worked(SECOND, 25, 55))

    assert (said.answer, said.considered, said.reason) == (HELD, 3, "")
    assert (both.answer, both.considered) == (HELD, 4)


def test_of_who_was_given_it_again_nobody_knows_until_when_it_held_it(both_say: Say) -> None:
    rows = held(FIRST, 0, None) + held(SECOND, 20, 60) + held(FIRST, 30, 40)

    said = both_say("two-owners", rows, worked(FIRST, 25), worked(SECOND, 26))
    ended = both_say("two-owners", rows, held(FIRST, 29, 29), worked(FIRST, 25), worked(SECOND, 26))
    second = both_say("two-owners", rows, worked(FIRST, 35), worked(SECOND, 36))

    assert (said.answer, said.anomalies, ended.answer) == (UNKNOWN, 0, UNKNOWN)
    assert "1 undecided, nobody knows which came first" in said.reason
    assert (second.answer, second.witnesses[0]["at_ns"]) == (VIOLATED, 30)


def test_other_partitions_and_other_groups_have_owners_of_their_own(both_say: Say) -> None:
    elsewhere: list[dict[str, Any]] = [{"partition": 1}, {"group": "audit"}, {"topic": "other"}]
    given = [assigned(10, SECOND, **more) for more in elsewhere]
    work = [one for more in elsewhere for one in worked(SECOND, 20, **more)]

    said = both_say("two-owners", held(FIRST, 0, 40), worked(FIRST, 21), given, work)

    assert (said.answer, said.considered) == (HELD, 4)


def test_what_is_given_anew_is_held_anew(both_say: Say) -> None:
    rows = held(FIRST, 0, 10) + held(SECOND, 20, 60) + held(FIRST, 30, None)

    said = both_say("two-owners", rows, worked(FIRST, 5, 40), worked(SECOND, 45))

    assert (said.answer, said.anomalies) == (VIOLATED, 1)
    assert (said.witnesses[0]["client"], said.witnesses[0]["at_ns"]) == (FIRST, 30)


@pytest.mark.parametrize("span", [(-1, 3), (3, 3), (4, 3)])
def test_a_span_that_holds_no_record_is_no_work(span: tuple[int, int], both_say: Say) -> None:
    rows = held(FIRST, 0, 40, "lost") + held(SECOND, 20, 50)
    nothing = processed(*span, client=FIRST, completed_ns=30)

    said = both_say("two-owners", rows, nothing, worked(SECOND, 25))

    assert said.answer is HELD


@pytest.mark.parametrize(
    "moments",
    [(20, 25), (30, 20), (40, 25), (30, 40)],
    ids=["given then", "worked then", "given up then", "both ended then"],
)
def test_what_happened_at_one_moment_has_no_order(moments: tuple[int, int], both_say: Say) -> None:
    first, second = moments
    rows = held(FIRST, 0, 40, "lost") + held(SECOND, 20, 50)

    said = both_say("two-owners", rows, worked(FIRST, first), worked(SECOND, second))

    assert said.answer is UNKNOWN
    assert "1 undecided, nobody knows which came first" in said.reason


def test_who_was_given_it_first_at_one_moment_is_no_matter(both_say: Say) -> None:
    rows = held(FIRST, 20, 40) + held(SECOND, 20, 50)

    said = both_say("two-owners", rows, worked(FIRST, 30), worked(SECOND, 25))

    assert (said.answer, said.anomalies) == (VIOLATED, 2)


def test_what_was_given_up_at_the_moment_in_which_it_was_given_may_be_held(both_say: Say) -> None:
    rows = held(FIRST, 10, 10) + held(SECOND, 20, 50)

    said = both_say("two-owners", rows, worked(FIRST, 30), worked(SECOND, 25))

    assert said.answer is UNKNOWN


def test_of_a_member_whose_work_alone_is_told_nobody_knows_what_it_held(both_say: Say) -> None:
    rows = held(SECOND, 20, 50) + worked(SECOND, 25)

    said = both_say("two-owners", rows, worked(FIRST, 30))
    later = both_say("two-owners", rows, worked(FIRST, 30), held(FIRST, 35, 38))
    outside = both_say("two-owners", rows, worked(FIRST, 10, 60))

    assert (said.answer, later.answer, outside.answer) == (UNKNOWN, UNKNOWN, HELD)
    assert "1 undecided, nobody told when who worked too was given it" in said.reason


def test_without_a_word_of_who_held_what_nothing_is_asked(both_say: Say) -> None:
    said = both_say("two-owners", worked(FIRST, 30), worked(SECOND, 25))
    idle = both_say("two-owners", held(FIRST, 0, 40), held(SECOND, 20, 50))
    ended = both_say("two-owners", assigned(3, what="lost"), worked(FIRST, 1))

    assert (said.answer, said.reason) == (UNKNOWN, "the record has no assignments")
    assert (idle.answer, idle.reason) == (UNKNOWN, "the record has no processed")
    assert (ended.answer, ended.considered) == (UNKNOWN, 0)
