"""A static member is whoever has its group.instance.id, and that may be two processes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from tests.unit.clients.conftest import ENDED, READY, Launching
from tests.unit.clients.test_groups import DEALT, topic

from highwater.harness.clients.group import Group, Member, Ways
from highwater.harness.errors import UsageError
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
    with Group("billing", topic(0, 1), members, Ways(lambda _wheres: {}, again)) as group:
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
