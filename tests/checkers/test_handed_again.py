"""What groups were handed once more: the claim accepts, refuses and declines to decide."""

from __future__ import annotations

from typing import Any

import pytest
from tests.checkers.conftest import (
    HELD,
    UNKNOWN,
    VIOLATED,
    Row,
    Say,
    commit,
    consumer,
    poll,
    processed,
    send,
)

pytestmark = pytest.mark.spark

BEGAN = {"first": 0, "second": 25, "third": 2}
MEMBERS = [consumer(name, group_id="billing", began_ns=at_ns) for name, at_ns in BEGAN.items()]


def handed(client: str, offset: int, at: tuple[int, int | None], **more: Any) -> Row:
    """A record, of which the value is its offset."""
    times = {"invoked_ns": at[0], "completed_ns": at[1]}
    return poll(offset, offset, client=client, **times, **more)


FIRST = [handed("first", offset, (5, 5)) for offset in range(3)]


def test_what_a_group_has_not_committed_is_handed_out_again(both_say: Say) -> None:
    again = [handed("second", offset, (30, 30)) for offset in (1, 2)]

    said = both_say("handed-again", MEMBERS, FIRST, commit(1, (10, 11)), again)

    assert (said.answer, said.considered, said.anomalies) == (HELD, 5, 0)


def test_what_a_group_has_committed_is_not_handed_out_again(both_say: Say) -> None:
    again = [handed("second", offset, (30, 30)) for offset in (0, 1, 2)]

    said = both_say("handed-again", MEMBERS, FIRST, commit(2, (10, 11)), again)

    assert (said.answer, said.considered, said.anomalies) == (VIOLATED, 6, 2)
    found = [tuple(one[name] for name in ("group", "client", "offset", "value", "committed"))
             for one in said.witnesses]  # fmt: skip
    assert found == [("billing", "second", 0, 0, 2), ("billing", "second", 1, 1, 2)]


@pytest.mark.parametrize("at", [(7, 8), (30, 31)])
def test_what_was_committed_since_a_reader_began_it_may_be_handed(
    both_say: Say, at: tuple[int, int]
) -> None:
    """Nobody tells it: whoever was frozen meanwhile hands out what it had fetched."""
    own = both_say("handed-again", MEMBERS, FIRST, commit(2, (10, 11)), handed("first", 1, at))
    other = both_say("handed-again", MEMBERS, FIRST, commit(2, (10, 11)), handed("third", 1, at))

    assert (own.answer, other.answer) == (HELD, HELD)


@pytest.mark.parametrize(
    ("began_ns", "answer"), [(11, HELD), (12, VIOLATED), (30, VIOLATED), (31, UNKNOWN),
                             (None, UNKNOWN)]
)  # fmt: skip
def test_what_counts_is_when_its_reader_began(
    both_say: Say, began_ns: int | None, answer: str
) -> None:
    late = consumer("late", group_id="billing", began_ns=began_ns)

    said = both_say("handed-again", MEMBERS, late, FIRST, commit(3, (10, 11)),
                    handed("late", 1, (30, 31)))  # fmt: skip

    assert said.answer == answer
    assert (answer is not UNKNOWN) or "nobody told when its reader began" in said.reason


@pytest.mark.parametrize("ended", [11, 24, 25, 26])
def test_a_position_counts_when_it_was_confirmed_before(both_say: Say, ended: int) -> None:
    said = both_say(
        "handed-again", MEMBERS, FIRST, commit(3, (10, ended)), handed("second", 1, (30, 30))
    )

    assert said.answer is (VIOLATED if ended < 25 else HELD)


@pytest.mark.parametrize("outcome", ["failed", "unknown", "invoked"])
def test_what_was_not_confirmed_is_no_position(both_say: Say, outcome: str) -> None:
    unsure = commit(3, (10, 11), outcome=outcome)

    said = both_say("handed-again", MEMBERS, FIRST, unsure, handed("second", 1, (30, 30)))

    assert (said.answer, said.considered) == (HELD, 4)


def test_a_group_that_went_back_is_handed_again_what_lies_above(both_say: Say) -> None:
    back = [commit(3, (10, 11)), commit(1, (12, 13))]

    said = both_say("handed-again", MEMBERS, FIRST, back, handed("second", 1, (30, 30)))
    below = both_say("handed-again", MEMBERS, FIRST, back, handed("second", 0, (30, 30)))

    assert (said.answer, below.answer) == (HELD, VIOLATED)


@pytest.mark.parametrize(
    ("other", "answer"),
    [
        (commit(1, (12, None), outcome="invoked"), UNKNOWN),
        (commit(1, (12, 13), outcome="unknown"), UNKNOWN),
        (commit(1, (12, None)), UNKNOWN),
        (commit(1, (40, 9)), UNKNOWN),
        (commit(1, (12, 25)), UNKNOWN),
        (commit(1, (30, 31)), UNKNOWN),
        (commit(1, (8, 12)), UNKNOWN),
        (commit(1, (31, 32)), VIOLATED),
        (commit(1, (12, 13), outcome="failed"), VIOLATED),
        (commit(1, (8, 9)), VIOLATED),
        (commit(2, (12, 13), outcome="unknown"), VIOLATED),
        (commit(1, (12, 13), outcome="unknown", group="audit"), VIOLATED),
        (commit(1, (12, 13), outcome="unknown", partition=1), VIOLATED),
    ],
)
def test_a_lower_commit_that_may_have_come_after_it_leaves_it_open(
    both_say: Say, other: Row, answer: str
) -> None:
    said = both_say(
        "handed-again", MEMBERS, FIRST, commit(3, (10, 11)), other, handed("second", 1, (30, 30))
    )

    assert said.answer == answer
    assert (answer is VIOLATED) or "nobody knows what was committed last" in said.reason


def test_an_open_commit_that_was_answered_since_is_not_open(both_say: Say) -> None:
    twins = [commit(1, (8, None), outcome="invoked"), commit(1, (8, 9))]
    again = handed("second", 1, (30, 30))

    said = both_say("handed-again", MEMBERS, FIRST, twins, commit(3, (10, 11)), again)

    assert said.answer is VIOLATED


@pytest.mark.parametrize("late", [commit(3, (10, None)), commit(3, (10, 9))])
def test_a_position_of_which_nobody_knows_when_it_was_confirmed_may_count(
    both_say: Say, late: Row
) -> None:
    said = both_say("handed-again", MEMBERS, FIRST, late, handed("second", 1, (30, 30)))

    assert said.answer is UNKNOWN


@pytest.mark.parametrize(
    ("again", "answer"),
    [
        (handed("second", 1, (30, None)), VIOLATED),
        (handed("second", 1, (30, 29)), UNKNOWN),
        (handed("second", 1, (30, 30), partition=1), HELD),
        (handed("second", 1, (30, 30), topic="events"), HELD),
        (handed("stranger", 1, (30, 30)), UNKNOWN),
        (handed("auditor", 1, (30, 30)), HELD),
        (poll(1, 4, client="second", invoked_ns=30, completed_ns=30), HELD),
        (poll(9, 1, client="second", invoked_ns=30, completed_ns=30), HELD),
    ],
)
def test_again_is_the_same_record_for_the_same_group_later(
    both_say: Say, again: Row, answer: str
) -> None:
    auditor = consumer("auditor", group_id="audit")
    commits = [commit(5, (10, 11), **where) for where in ({}, {"partition": 1}, {"group": "audit"})]

    said = both_say("handed-again", MEMBERS, auditor, FIRST, commits, again)

    assert said.answer == answer


def test_of_two_that_were_handed_out_at_once_nobody_knows_which_was_first(both_say: Say) -> None:
    late = consumer("late", group_id="billing", began_ns=20)
    both = [handed("late", 1, (30, 40)), handed("second", 1, (35, 45))]

    said = both_say("handed-again", MEMBERS, late, commit(3, (10, 11)), both)
    third = both_say(
        "handed-again", MEMBERS, late, commit(3, (10, 11)), both, handed("third", 1, (5, 6))
    )

    assert (said.answer, third.answer, third.anomalies) == (UNKNOWN, VIOLATED, 2)
    assert "2 undecided, nobody knows which was handed out first" in said.reason


def test_who_is_handed_it_first_is_not_handed_it_again(both_say: Say) -> None:
    """The group's position had been put beyond it by somebody else."""
    alone, later = handed("second", 1, (30, 31)), handed("late", 1, (40, 41))
    late = consumer("late", group_id="billing", began_ns=35)

    said = both_say("handed-again", MEMBERS, late, commit(3, (0, 1)), alone)
    again = both_say("handed-again", MEMBERS, late, commit(3, (0, 1)), alone, later)

    assert (said.answer, again.answer, again.anomalies) == (HELD, VIOLATED, 1)


def test_an_open_commit_that_was_refused_since_is_no_position(both_say: Say) -> None:
    twins = [commit(1, (12, None), outcome="invoked"), commit(1, (12, 13), outcome="failed")]
    again = handed("second", 1, (30, 30))

    said = both_say("handed-again", MEMBERS, FIRST, commit(3, (10, 11)), twins, again)

    assert said.answer is VIOLATED


@pytest.mark.parametrize("more", [{"value": None}, {"offset": None}, {"offset": -1}])
def test_a_record_without_a_name_or_a_place_is_not_asked(
    both_say: Say, more: dict[str, Any]
) -> None:
    rows = [("history", {**row, **more}) for _, row in (*FIRST, handed("second", 1, (30, 30)))]

    said = both_say("handed-again", MEMBERS, rows, commit(5, (10, 11)), handed("third", 9, (1, 1)))

    assert (said.answer, said.considered) == (HELD, 1)


def test_readers_of_which_nobody_told_a_group_are_not_asked(both_say: Say) -> None:
    alone = [consumer("first"), consumer("second")]

    said = both_say(
        "handed-again", alone, FIRST, commit(3, (10, 11)), handed("second", 1, (30, 30))
    )

    assert (said.answer, said.considered) == (UNKNOWN, 0)
    assert "no records that members of groups were handed" in said.reason


def test_a_group_that_has_committed_nothing_there_is_handed_all_of_it_again(
    both_say: Say,
) -> None:
    elsewhere = commit(3, (10, 11), partition=1)

    said = both_say("handed-again", MEMBERS, FIRST, elsewhere, handed("second", 1, (30, 30)))

    assert (said.answer, said.considered) == (HELD, 4)


@pytest.mark.parametrize("unknown", ["first", "second", "both"])
def test_nobody_knows_of_a_reader_of_whom_nobody_told_whether_it_is_a_member(
    unknown: str, both_say: Say
) -> None:
    named = [] if unknown == "both" else [one for one in MEMBERS if one[1]["client"] != unknown]
    told = [consumer("auditor"), *named]
    again = handed("second", 1, (30, 30))

    said = both_say("handed-again", told, FIRST, commit(3, (10, 11)), again)
    below = both_say("handed-again", told, FIRST, commit(1, (10, 11)), again)
    others = both_say("handed-again", told, FIRST, commit(3, (10, 11), group="audit"), again)

    assert (said.answer, said.anomalies) == (UNKNOWN, 0)
    assert "nobody told whether one of its readers is a member" in said.reason
    assert below.answer is not VIOLATED
    assert below.reason != said.reason
    assert (others.answer is UNKNOWN) is (unknown == "both")


def test_who_was_killed_may_have_told_what_it_finished_with_and_not_what_it_was_handed(
    both_say: Say,
) -> None:
    """The history is written every second, and what a member says is heard at once."""
    sent = [send(offset, offset, (1, 2)) for offset in range(2)]
    done, again = processed(0, 2, completed_ns=8), handed("second", 1, (30, 30))
    rows = [*MEMBERS, *sent, commit(2, (10, 11)), again]

    said = both_say("handed-again", rows, done)
    others = both_say("handed-again", rows, processed(0, 2, completed_ns=8, group="others"))
    own = both_say("handed-again", rows, processed(0, 2, completed_ns=31))
    cut = both_say("handed-again", MEMBERS, commit(2, (10, 11)), again, done)
    begun = both_say("handed-again", MEMBERS, sent, commit(1, (10, 11)), again, done)

    assert (said.answer, said.considered, said.anomalies) == (VIOLATED, 1, 1)
    assert (said.witnesses[0]["offset"], said.witnesses[0]["committed"]) == (1, 2)
    assert [each.answer for each in (others, own, cut, begun)] == [HELD] * 4
