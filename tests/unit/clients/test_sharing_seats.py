"""Who joins a share group, and leaves it: small programs, and a coordinator that says anything."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from tests.unit.clients.conftest import ENDED, READY, Launching
from tests.unit.clients.test_groups import topic

from highwater.harness.clients.shares import ShareGroup, ShareMember, Sharing
from highwater.harness.errors import DeadlineError, PreconditionError, UsageError

HELD = {
    "a": frozenset({("orders", 0)}),
    "b": frozenset({("orders", 1)}),
    "c": frozenset({("orders", 0), ("orders", 1)}),
}


def sharer(launching: Launching, name: str, seat: str, more: str = "") -> ShareMember:
    launch = launching(f"{READY}{more}{ENDED}", name)
    settings = {"acknowledges": "accept", "processing_s": 0.0}
    order = {**launch.order, "seat": seat, "group": "t-workers", "settings": settings}
    return ShareMember(replace(launch, order=order), lambda _name, _event: None)


@contextmanager
def begun(group: str) -> Generator[None]:
    assert group == "t-workers"
    yield


def group_of(
    launching: Launching, members: Sequence[ShareMember], held: Mapping[str, Any]
) -> ShareGroup:
    """What its coordinator says is `held`; who joins it is "c"."""

    def another(order: Mapping[str, Any]) -> ShareMember:
        return sharer(launching, "c", order["seat"])

    asked = Sharing(lambda _wheres: {}, another, lambda group: {"t-workers": held}[group], begun)
    (orders,) = topic(0, 1)
    return ShareGroup("workers", orders, members, asked)


def test_members_join_a_share_group_and_leave_it_and_are_replaced(launching: Launching) -> None:
    held = dict(HELD)
    members = [sharer(launching, "a", "workers-1"), sharer(launching, "b", "workers-2")]

    with group_of(launching, members, held) as group:
        joined = group.join()

        assert group.members == (*members, joined)
        assert joined.order["seat"] == "workers-3"
        with pytest.raises(DeadlineError, match=r"last seen: not gone yet: a$"):
            group.leave(members[0], timeout_s=0.1)
        del held["a"]
        group.await_assigned()
        with pytest.raises(UsageError, match=r"of workers that lives, saw a$"):
            group.leave(members[0])
        with pytest.raises(UsageError, match=r"of workers that was killed, saw b$"):
            group.replace(members[1])
        members[1].kill()
        with pytest.raises(UsageError, match=r"saw c, which is the last one$"):
            group.leave(joined)
        assert group.replace(members[1]).order["seat"] == "workers-2"
        with pytest.raises(UsageError, match=r"was killed, saw b, which has been replaced$"):
            group.replace(members[1])


def test_a_partition_that_a_frozen_sharer_has_alone_is_told(launching: Launching) -> None:
    held = dict(HELD)
    members = [sharer(launching, "a", "workers-1"), sharer(launching, "b", "workers-2")]
    saw = "last seen: with nobody that runs: orders-0; with none: c; frozen: a with orders-0$"

    with group_of(launching, members, held) as group, members[0].paused():
        del held["c"]
        with pytest.raises(DeadlineError, match=saw):
            group.join(timeout_s=0.1)
        with pytest.raises(UsageError, match=r"that lives, saw a, which is frozen$"):
            group.leave(members[0])


def test_a_share_group_is_waited_for_until_its_coordinator_tells(launching: Launching) -> None:
    told: list[int] = []

    def held(group: str) -> Mapping[str, Any]:
        told.append(1)
        if len(told) < 3:
            raise LookupError(f"nobody coordinates {group} yet")
        return HELD

    asked = Sharing(lambda _wheres: {}, lambda _order: pytest.fail("nobody asked"), held, begun)
    (orders,) = topic(0, 1)
    members = [sharer(launching, "a", "workers-1"), sharer(launching, "b", "workers-2")]

    with ShareGroup("workers", orders, members, asked) as group:
        group.await_assigned()

        assert len(told) == 3


def test_a_sharer_that_can_do_nothing_more_is_not_waited_for(launching: Launching) -> None:
    fatal = """say('{"event": "fatal", "text": "UNSUPPORTED_VERSION"}'); """
    member = sharer(launching, "a", "workers-1", fatal)
    why = "a was to go on, and cannot: UNSUPPORTED_VERSION"

    with group_of(launching, [member], {}) as group, pytest.raises(PreconditionError, match=why):
        group.await_assigned()


def test_nobody_waits_for_a_share_group_that_is_over(launching: Launching) -> None:
    group = group_of(launching, [sharer(launching, "a", "workers-1")], {"a": HELD["c"]})
    with group:
        group.await_assigned(timeout_s=5)

    for wait in (
        group.await_assigned,
        group.await_all_accepted,
        partial(group.await_handed, 1),
    ):
        with pytest.raises(UsageError, match="within the `with` of workers, saw it outside"):
            wait()
