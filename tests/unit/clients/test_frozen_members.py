"""A member that is frozen holds what it held, as far as it knows, and is not waited for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from tests.unit.clients.conftest import READY, Launching
from tests.unit.clients.orders import no_topics
from tests.unit.clients.test_groups import topic

from highwater.harness.clients.group import Group, Ways
from highwater.harness.clients.member import Member
from highwater.harness.errors import DeadlineError, UsageError

TOLD = """
def told(event, *partitions):
    say(json.dumps({"event": event, "partitions": [["orders", each] for each in partitions]}))
"""


def seated(launching: Launching, name: str, *held: int, seat: str = "") -> Member:
    """It is assigned these, and gives them up when it is told to stop."""
    said = f"told('assigned', *{held}); sys.stdin.readline(); told('revoked', *{held}); "
    program = f"import json\n{TOLD}\n{READY}{said}" + """say('{"event": "ended"}')"""
    launch = launching(program, name)
    order = {**launch.order, "seat": seat or name, "settings": {"static": False}}
    return Member(replace(launch, order=order), lambda _name, _event: None)


def group_of(
    launching: Launching, members: Sequence[Member], partitions: int, joins: Sequence[int] = ()
) -> Group:
    """Who joins it is given the last name, and these partitions."""

    def another(order: Mapping[str, Any]) -> Member:
        return seated(launching, "z", *joins, seat=order["seat"])

    return Group(
        "billing",
        topic(*range(partitions)),
        members,
        Ways(lambda _wheres: {}, another, no_topics()),
    )


def test_who_joins_while_another_is_frozen_has_its_partitions(launching: Launching) -> None:
    frozen, other = seated(launching, "a", 0), seated(launching, "b", 1)

    with (
        group_of(launching, [frozen, other], 2, joins=[0]) as group,
        frozen.paused(),
    ):
        joined = group.join(timeout_s=20)

        assert [len(each.assigned) for each in (frozen, other, joined)] == [1, 1, 1]
        assert (frozen.is_paused, other.is_paused) == (True, False)
    assert not frozen.is_paused


def test_who_leaves_while_another_is_frozen_waits_for_who_is_left(launching: Launching) -> None:
    frozen, other, leaving = (seated(launching, each, at) for at, each in enumerate("abc"))

    with group_of(launching, [frozen, other, leaving], 3) as group, frozen.paused():
        other._hear({"event": "assigned", "partitions": [["orders", 0], ["orders", 2]]})
        group.leave(leaving, timeout_s=20)

        assert [len(each.assigned) for each in group.members] == [1, 3, 0]


def test_what_only_a_frozen_member_has_is_told_with_its_name(launching: Launching) -> None:
    frozen, other = seated(launching, "a", 0, 2), seated(launching, "b", 1)
    saw = "last seen: with nobody that runs: orders-0, orders-2; with none: z; "
    saw += "frozen: a with orders-0, orders-2$"

    with (
        group_of(launching, [frozen, other], 3) as group,
        frozen.paused(),
        pytest.raises(DeadlineError, match=saw),
    ):
        group.join(timeout_s=0.2)


def test_what_two_members_have_is_told(launching: Launching) -> None:
    first, second = seated(launching, "a", 0), seated(launching, "b", 1)

    with group_of(launching, [first, second], 2) as group:
        second._hear({"event": "assigned", "partitions": [["orders", 0]]})
        with pytest.raises(DeadlineError, match=r"last seen: with several: orders-0$"):
            group.await_assigned(timeout_s=0.1)


def test_the_lag_of_a_frozen_member_is_not_counted_beside_that_of_who_took_over(
    launching: Launching,
) -> None:
    frozen, other = seated(launching, "a", 0), seated(launching, "b", 1)
    told = {"event": "progress", "handed": 3, "positions": []}

    with group_of(launching, [frozen, other], 2) as group:
        for member, lag in ((frozen, 40), (other, 2)):
            member._hear({**told, "lag_records": lag})
        assert group.lag_records == 42
        with frozen.paused():
            assert group.lag_records is None  # nobody knows what the frozen one's is now
            other._hear({"event": "assigned", "partitions": [["orders", 0]]})
            other._hear({**told, "lag_records": 3})

            assert group.lag_records == 3


def test_many_partitions_that_nobody_has_are_counted(launching: Launching) -> None:
    member = seated(launching, "a", 0)
    saw = "with nobody that runs: orders-1, orders-2, .*, orders-10 and 4 more$"

    with group_of(launching, [member], 1) as group:
        group._topics = tuple(topic(*range(15)))
        with pytest.raises(DeadlineError, match=saw):
            group.await_assigned(timeout_s=0.1)


def test_who_is_frozen_does_not_leave_and_nobody_leaves_to_the_frozen(
    launching: Launching,
) -> None:
    frozen, other = seated(launching, "a", 0), seated(launching, "b", 1)

    with group_of(launching, [frozen, other], 2) as group, frozen.paused():
        with pytest.raises(UsageError, match=r"of billing that lives, saw a, which is frozen$"):
            group.leave(frozen)
        with pytest.raises(UsageError, match=r"saw b, which is the last one that is not frozen$"):
            group.leave(other)
        assert not other.has_left


def test_who_is_killed_while_it_is_frozen_is_frozen_no_more(launching: Launching) -> None:
    member = seated(launching, "a", 0)

    with member, member.paused():
        member.kill()

        assert not member.is_paused
