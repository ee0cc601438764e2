"""At which schedule and step two searches of the same seed parted, by literal logs."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from highwater.exploration.findings import Finding
from highwater.exploration.moves import Cut, Send
from highwater.exploration.rounds import Round
from highwater.exploration.steps import Step, Taken
from highwater.parting import likeness

CUT = Taken(Step(Cut(2)), ("a",), ("b",))
SEND = Taken(Step(Send(1, "all")), ("b",), ("c",))
LATER = Taken(Step(Send(1, "all")), ("b",), ("d",))
STALE = Taken(Step(Send(1, "all")), ("x",), ("c",))
TWO = Taken(Step(Send(2, "all")), ("b",), ("c",))
Log = Sequence[tuple[int, Sequence[Taken]]]


def told(own: Log, its: Log) -> str:
    logs = [
        [(number, Round(taken=taken, finding=Finding())) for number, taken in log]
        for log in (own, its)
    ]
    return likeness("DIR", *logs)


@pytest.mark.parametrize(
    ("its", "where"),
    [
        ([CUT, TWO], "step 2: send(records=1, acks=all), not send(records=2, acks=all)"),
        ([CUT, LATER], "step 2: another state after send(records=1, acks=all)"),
        ([CUT, STALE], "step 2: another state before send(records=1, acks=all)"),
        ([CUT], "step 2: only send(records=1, acks=all)"),
        ([CUT, SEND, CUT], "step 3: only in DIR cut(broker=2)"),
        ([], "step 1: only cut(broker=2)"),
    ],
)
def test_the_first_step_that_is_another_one_is_named(its: Sequence[Taken], where: str) -> None:
    own: Log = [(1, [CUT]), (2, [CUT, SEND]), (3, [SEND])]

    assert told(own, [(1, [CUT]), (2, its), (3, [CUT])]) == (
        f"as DIR for 1 schedule; schedule 2 parted at {where}"
    )


def test_what_did_not_part_says_which_of_them_ends() -> None:
    short: Log = [(1, [CUT]), (2, [CUT, SEND])]
    longer: Log = [*short, (3, [CUT])]

    assert told(longer, longer) == "as DIR for all of 3 schedules"
    assert told(longer, short) == "as DIR for 2 schedules, with which DIR ends"
    assert told(short, longer) == "as DIR for 2 schedules, with which this one ends"


def test_how_near_to_a_loss_it_was_or_which_offsets_were_seen_parts_nothing() -> None:
    seen = Taken(CUT.step, CUT.before, CUT.after, 2, {"log_end_offsets": {"1": 3}})

    assert told([(1, [CUT])], [(1, [seen])]) == "as DIR for all of 1 schedule"


def test_parts_of_a_search_have_their_own_numbers() -> None:
    assert told([(2, [CUT]), (4, [CUT])], [(2, [CUT]), (4, [SEND])]) == (
        "as DIR for 1 schedule; schedule 4 parted at step 1: cut(broker=2), "
        "not send(records=1, acks=all)"
    )
