"""A static member is whoever has its group.instance.id; and who joins a group, or leaves it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from tests.unit.clients.conftest import ENDED, READY, Launching
from tests.unit.clients.orders import no_topics
from tests.unit.clients.test_groups import DEALT, topic, ways

from highwater.harness.clients.group import Group, Ways
from highwater.harness.clients.member import Member
from highwater.harness.errors import DeadlineError, PreconditionError, UsageError
from highwater.harness.model import TopicPartition
from highwater.harness.wait import wait_until


def test_another_process_takes_the_seat_of_a_static_member_that_lives(
    launching: Launching,
) -> None:
    asked: list[Mapping[str, Any]] = []

    def seated(name: str, static: bool, program: str) -> Member:
        launch = launching(program, name)
        order = {**launch.order, "seat": "billing-1", "settings": {"static": static}}
        return Member(replace(launch, order=order), lambda _name, _event: None)

    def again(order: Mapping[str, Any]) -> Member:
        asked.append(order)
        return seated("c", static=True, program=READY + ENDED)

    other = '{"event": "assigned", "partitions": [["orders", 1]]}'
    members = [
        seated("a", static=True, program=DEALT + ENDED),
        seated("b", static=False, program=READY + f"say('{other}'); " + ENDED),
    ]
    with Group(
        "billing", topic(0, 1), members, Ways(lambda _wheres: {}, again, no_topics())
    ) as group:
        for wrong, saw in ((members[1], "b"), ("billing-1", "'billing-1'"), (None, "None")):
            with pytest.raises(UsageError, match=f"member of billing that lives, saw {saw}$"):
                group.take_seat(wrong)  # type: ignore[arg-type]

        taken = group.take_seat(members[0])

        assert group.members == (*members, taken)
        members[0].kill()
        with pytest.raises(UsageError, match=r"static member of billing that lives, saw a$"):
            group.take_seat(members[0])
    with pytest.raises(UsageError, match="within the `with` of billing"):
        group.take_seat(taken)
    assert [order["seat"] for order in asked] == ["billing-1"]


def test_a_member_says_why_it_can_do_nothing_more(launching: Launching) -> None:
    program = DEALT + """say('{"event": "fatal", "text": "FENCED_INSTANCE_ID"}'); """ + ENDED
    member = Member(launching(program, "a"), lambda _name, _event: None)
    assert not member.fatal

    with member:
        wait_until(lambda: member.fatal == "FENCED_INSTANCE_ID", "its word", 10)


def test_a_group_goes_on_when_who_can_do_nothing_more_has_left(launching: Launching) -> None:
    fatal = """say('{"event": "fatal", "text": "FENCED_INSTANCE_ID"}'); """
    fenced = Member(launching(READY + fatal + ENDED, "a"), lambda _name, _event: None)
    other = Member(launching(DEALT + ENDED, "b"), lambda _name, _event: None)

    with Group("billing", topic(0), [other], ways()) as group:
        group._seats._enter(fenced)
        group._seats.members = (other, fenced)
        with pytest.raises(PreconditionError, match="a was to go on, and cannot: FENCED_INST"):
            wait_until(lambda: group._seats.are_well() and False, "its word", 10)
        group.leave(fenced)

        group.await_assigned(timeout_s=5)


ASSIGNED = """
def assigned(event, *partitions):
    told = [["orders", each] for each in partitions]
    say(json.dumps({"event": event, "partitions": told}))
"""
LEAVES = "sys.stdin.readline(); assigned('revoked', 0); say('{\"event\": \"ended\"}')"
TAKES = "assigned('assigned', 1); time.sleep(0.5); assigned('assigned', 0); "


def test_members_join_a_group_and_leave_it(launching: Launching) -> None:
    asked: list[Mapping[str, Any]] = []
    heard: list[tuple[str, str]] = []

    def seated(name: str, seat: str, program: str) -> Member:
        launch = launching(f"import json, sys\n{ASSIGNED}\n{READY}{program}", name)
        order = {**launch.order, "seat": seat, "settings": {"static": False}}
        return Member(
            replace(launch, order=order), lambda name, event: heard.append((name, event["event"]))
        )

    def another(order: Mapping[str, Any]) -> Member:
        asked.append(order)
        return seated("b", order["seat"], TAKES + ENDED)

    first = seated("a", "billing-1", "assigned('assigned', 0); " + LEAVES)
    ways = Ways(lambda _wheres: {}, another, no_topics())
    with Group("billing", topic(0), [first], ways) as group:
        for wrong, saw in ((first, "a, which is the last one"), ("a", "'a'"), (None, "None")):
            with pytest.raises(UsageError, match=f"member of billing that lives, saw {saw}$"):
                group.leave(wrong)  # type: ignore[arg-type]
        group._topics = tuple(topic(0, 1))

        joined = group.join()
        group.leave(first)

        assert group.members == (first, joined)
        read = [sorted(each.partition for each in one.assigned) for one in group.members]
        assert read == [[], [0, 1]]
        assert [order["seat"] for order in asked] == ["billing-2"]
        with pytest.raises(UsageError, match=r"that lives, saw a$"):
            group.leave(first)
        with pytest.raises(UsageError, match="to live when it is paused, saw that it is gone"):
            first.paused().__enter__()
    with pytest.raises(UsageError, match="within the `with` of billing"):
        group.join()
    assert [event for name, event in heard if name == "a"] == [
        "ready", "assigned", "leaving", "revoked", "ended",
    ]  # fmt: skip


def test_who_joins_is_told_to_read_what_the_others_read_by_then(launching: Launching) -> None:
    asked: list[Mapping[str, Any]] = []

    def seated(name: str, program: str) -> Member:
        launch = launching(f"import json, sys\n{ASSIGNED}\n{READY}{program}", name)
        order = {**launch.order, "seat": name, "topics": ["bills"]}
        return Member(replace(launch, order=order), lambda _name, _event: None)

    def another(order: Mapping[str, Any]) -> Member:
        asked.append(order)
        return seated("c", ENDED)

    first = seated("a", "assigned('assigned', 0); " + LEAVES)
    second = seated("b", TAKES + "sys.stdin.readline(); " + ENDED)
    with Group(
        "billing", topic(0, 1), [first, second], Ways(lambda _wheres: {}, another, no_topics())
    ) as group:
        group.leave(first)
        group.subscribe(*topic(0, 1))

        with pytest.raises(DeadlineError, match="some to each member"):
            group.join(timeout_s=0.2)

    assert [order["topics"] for order in asked] == [["orders"]]


def test_a_group_of_which_nobody_lives_or_that_has_ended_is_not_waited_for(
    launching: Launching,
) -> None:
    dealt = '{"event": "assigned", "partitions": [["orders", 0]]}'
    member = Member(launching(READY + f"say('{dealt}'); time.sleep(600)"), lambda _n, _event: None)
    group = Group("billing", topic(0), [member], ways(lambda: {TopicPartition("orders"): 5}))

    with group:
        member.kill()
        for wait in (group.await_handed, group.await_committed):
            with pytest.raises(PreconditionError, match="saw all members killed"):
                wait(5, timeout_s=600)
        with pytest.raises(PreconditionError, match="saw all members killed"):
            group.await_caught_up(timeout_s=600)
    for wait in (group.await_handed, group.await_committed):
        with pytest.raises(UsageError, match="within the `with` of billing, saw it outside"):
            wait(5, timeout_s=600)


def test_nobody_joins_whose_like_has_left(launching: Launching) -> None:
    launch = launching(DEALT + ENDED)
    seated = replace(launch, order={**launch.order, "seat": "a"})
    member = Member(seated, lambda _n, _event: None)

    with Group("billing", topic(0), [member], ways()) as group:
        member.leave()
        with pytest.raises(UsageError, match="a member of billing that has not left, saw none"):
            group.join()
