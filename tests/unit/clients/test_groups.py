"""Groups of members, each a small program that says what it likes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from tests.unit.clients.conftest import ENDED, READY, Launching
from tests.unit.clients.orders import Orders, no_topics

from highwater.harness.clients.group import Group, Ways
from highwater.harness.clients.member import Member
from highwater.harness.errors import DeadlineError, PreconditionError, UsageError
from highwater.harness.model import TopicPartition
from highwater.harness.topic import Topic
from highwater.harness.wait import wait_until


def ways(ends: Callable[[], Mapping[TopicPartition, int]] = dict) -> Ways:
    """Of a group in which nobody takes anybody's place."""
    again = lambda order: pytest.fail(f"nobody asked for {order}")  # noqa: E731
    return Ways(lambda _wheres: ends(), again, no_topics())


def topic(*partitions: int) -> list[Topic]:
    return [Orders(partitions)]


def test_a_member_that_was_killed_owns_nothing(launching: Launching) -> None:
    heard: list[str] = []
    dealt = '{"event": "assigned", "partitions": [["orders", 0]]}'
    launch = launching(READY + f"say('{dealt}'); time.sleep(600)")
    member = Member(launch, lambda _name, event: heard.append(event["event"]))

    with Group("billing", topic(0), [member], ways()) as group:
        member.kill()

        assert group.assigned == frozenset()
        assert group.lag_records is None

    assert heard == ["ready", "assigned", "killed"]


def test_a_group_has_begun_when_each_partition_has_one_owner(launching: Launching) -> None:
    def member(name: str, number: int) -> Member:
        dealt = f'{{"event": "assigned", "partitions": [["orders", {number}]]}}'
        progress = '{"event": "progress", "handed": 3, "lag_records": 1, "positions": []}'
        program = READY + f"say('{dealt}'); say('{progress}'); " + ENDED
        return Member(launching(program, name), lambda _name, _event: None)

    wheres = [TopicPartition("orders", 0), TopicPartition("orders", 1)]
    with Group("billing", topic(0, 1), [member("a", 0), member("b", 1)], ways()) as group:
        group.await_handed(6 - group.handed)

        assert group.assigned == set(wheres)
        assert (group.handed, group.lag_records) == (6, 2)


def test_a_group_has_begun_when_each_member_has_partitions_if_there_are_enough(
    launching: Launching,
) -> None:
    """Whoever joins first is assigned all of them, until the second one has joined as well."""

    def member(name: str, steps: Sequence[tuple[float, str, int]]) -> Member:
        said = "".join(
            f"time.sleep({after_s}); say('"
            f'{{"event": "{event}", "partitions": [["orders", {number}]]}}'
            "'); "
            for after_s, event, number in steps
        )
        return Member(launching(READY + said + ENDED, name), lambda _name, _event: None)

    first = member("a", [(0, "assigned", 0), (0, "assigned", 1), (0.5, "revoked", 1)])
    second = member("b", [(1.0, "assigned", 1)])
    with Group("billing", topic(0, 1), [first, second], ways()) as group:
        assert [len(each.assigned) for each in group.members] == [1, 1]
    alone = member("c", [(0, "assigned", 0)])
    idle = member("d", [])
    with Group("billing", topic(0), [alone, idle], ways()) as group:
        assert [len(each.assigned) for each in group.members] == [1, 0]


def test_a_partition_that_nobody_owns_keeps_a_group_from_beginning(
    launching: Launching, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("highwater.harness.clients.group.JOIN_TIMEOUT_S", 0.2)
    member = Member(launching(READY + ENDED), lambda _name, _event: None)

    with (
        pytest.raises(DeadlineError, match="the partitions of billing to be assigned"),
        Group("billing", topic(0), [member], ways()),
    ):
        pass

    assert member._process._process.poll() is not None


def reading(position: int) -> str:
    """A member with one partition that has been handed all below that."""
    dealt = '{"event": "assigned", "partitions": [["orders", 0]]}'
    told = f'"handed": 3, "lag_records": 0, "positions": [["orders", 0, {position}]]'
    return READY + f"say('{dealt}'); say('{{\"event\": \"progress\", {told}}}'); " + ENDED


def test_a_group_has_caught_up_when_it_is_beyond_what_was_committed(launching: Launching) -> None:
    where = TopicPartition("orders", 0)
    member = Member(launching(reading(7)), lambda _name, _event: None)
    ends = iter([{}, {where: 7}, {where: 8}])

    with Group("billing", topic(0), [member], ways(lambda: next(ends))) as group:
        group.await_caught_up()
        with pytest.raises(DeadlineError, match="the group billing to have been handed everything"):
            group.await_caught_up(timeout_s=0.1)


def test_who_takes_over_begins_where_the_group_has_committed(launching: Launching) -> None:
    where = TopicPartition("orders", 0)
    dealt = '{"event": "assigned", "partitions": [["orders", 0]]}'
    gone = '{"event": "revoked", "partitions": [["orders", 0]]}'
    told = '{"event": "progress", "handed": 0, "lag_records": 25, "positions": [["orders", 0, %d]]}'
    before = READY + "".join(f"say('{line}'); " for line in (dealt, told % 100, gone))
    after = READY + "".join(f"say('{line}'); " for line in (dealt, told % 55))
    first = Member(launching(before + ENDED, "a"), lambda _name, _event: None)
    second = Member(launching(after + ENDED, "b"), lambda _name, _event: None)

    with Group("billing", topic(0), [first, second], ways(lambda: {where: 80})) as group:
        with pytest.raises(DeadlineError, match="to have been handed everything"):
            group.await_caught_up(timeout_s=0.2)

        second.kill()
        assert second.positions == {}


def test_how_far_somebody_is_in_what_it_does_not_hold_is_not_asked(launching: Launching) -> None:
    late = '{"event": "progress", "handed": 3, "lag_records": 0, "positions": [["orders", 0, 9]]}'
    member = Member(launching(READY + f"say('{late}'); " + ENDED), lambda _name, _event: None)

    with member:
        wait_until(lambda: member.handed == 3, "its progress", 10)

        assert member.positions == {}


@pytest.mark.parametrize("positions", [(80, 55), (55, 80)])
def test_a_frozen_member_that_others_have_taken_over_from_holds_up_nobody(
    positions: tuple[int, int], launching: Launching
) -> None:
    """It does not know yet that its partition is somebody else's, and says nothing more."""
    where = TopicPartition("orders", 0)
    members = [
        Member(launching(reading(position), f"b-{position}"), lambda _name, _event: None)
        for position in positions
    ]
    group = Group("billing", topic(0), members, ways(lambda: {where: 80}))

    with members[0], members[1]:
        group.await_caught_up(timeout_s=10)


def test_a_group_has_committed_what_was_confirmed_to_any_of_its_members(
    launching: Launching,
) -> None:
    dealt = '{"event": "assigned", "partitions": [["orders", 0]]}'
    told = [
        f'{{"event": "committed", "group": "g", "at_ns": 1, "offsets": [["orders", 0, {offset}, '
        f"{error}]]}}"
        for offset, error in ((7, "null"), (9, '"ILLEGAL_GENERATION"'), (5, "null"))
    ]
    program = READY + "".join(f"say('{line}'); " for line in (dealt, *told)) + ENDED
    member = Member(launching(program), lambda _name, _event: None)

    with Group("billing", topic(0), [member], ways()) as group:
        group.await_committed(7 - group.committed)
        with pytest.raises(DeadlineError, match="the group billing to commit 1 more"):
            group.await_committed(1, timeout_s=0.1)

        assert group.committed == 7


DEALT = READY + """say('{"event": "assigned", "partitions": [["orders", 0]]}'); """


def test_another_process_takes_the_place_of_a_member_that_was_killed(launching: Launching) -> None:
    asked: list[Mapping[str, Any]] = []

    def again(order: Mapping[str, Any]) -> Member:
        asked.append(order)
        return Member(launching(DEALT + ENDED, "b"), lambda _name, _event: None)

    member = Member(launching(DEALT + ENDED, "a"), lambda _name, _event: None)
    with Group(
        "billing", topic(0), [member], Ways(lambda _wheres: {}, again, no_topics())
    ) as group:
        for wrong, saw in ((member, "a"), ("billing-1", "'billing-1'"), (None, "None")):
            with pytest.raises(UsageError, match=f"of billing that was killed, saw {saw}$"):
                group.replace(wrong)  # type: ignore[arg-type]
        member.kill()
        other = group.replace(member)
        group.await_assigned()
        with pytest.raises(UsageError, match="that was killed, saw a, which has been replaced"):
            group.replace(member)

        assert group.members == (member, other)
        other.kill()
    with pytest.raises(UsageError, match="within the `with` of billing"):
        group.replace(other)
    assert asked == [{"client": "a"}]


def test_a_group_is_told_to_read_other_topics(launching: Launching) -> None:
    dealt = '{"event": "assigned", "partitions": [["orders", 0]]}'
    program = f"import json; {READY} asked = json.loads(sys.stdin.readline()); "
    program += f"say(json.dumps({{**asked, 'event': 'heard'}})); say('{dealt}'); "
    heard: list[Mapping[str, Any]] = []
    member = Member(launching(program + ENDED), lambda _name, event: heard.append(event))

    group = Group("billing", [], [member], ways())
    with pytest.raises(UsageError, match="within the `with` of billing"):
        group.subscribe(*topic(0))
    with group:
        with pytest.raises(UsageError, match="billing to read at least one topic, saw none"):
            group.subscribe()
        group.subscribe(*topic(0))

        assert group.assigned == {TopicPartition("orders", 0)}
    asked = {"do": "subscribe", "topics": ["orders"], "incarnations": {}}
    assert heard[1] == {"event": "subscribed", "topics": ["orders"]}
    assert heard[2] == {**asked, "event": "heard"}
    assert member.order["topics"] == ["orders"]


def test_all_members_are_said_to_stop_before_the_first_one_does(launching: Launching) -> None:
    heard: list[tuple[str, Mapping[str, Any]]] = []

    def member(name: str, number: int) -> Member:
        dealt = f'{{"event": "assigned", "partitions": [["orders", {number}]]}}'
        launch = launching(READY + f"say('{dealt}'); " + ENDED, name)
        named = replace(launch, order={**launch.order, "group": "orders-billing"})
        return Member(named, lambda who, event: heard.append((who, event)))

    with Group("billing", topic(0, 1), [member("a", 0), member("b", 1)], ways()):
        heard.clear()

    said = [(who, event["event"]) for who, event in heard]
    assert said == [("a", "stopping"), ("b", "stopping"), ("b", "ended"), ("a", "ended")]
    assert [event.get("group") for _who, event in heard[:2]] == ["orders-billing"] * 2


@pytest.mark.parametrize(
    ("topics", "why"),
    [
        (("orders",), "expected what play.topic.. has returned, saw 'orders'"),
        ((topic(0),), r"expected what play.topic.. has returned, saw \["),
        ((None,), "expected what play.topic.. has returned, saw None"),
        (topic(1) * 2, "expected topics for billing, each once, saw orders, orders"),
    ],
)
def test_a_group_that_is_told_to_read_what_cannot_be_reads_on(
    topics: Sequence[Any], why: str, launching: Launching
) -> None:
    heard: list[str] = []
    member = Member(launching(DEALT + ENDED), lambda _name, event: heard.append(event["event"]))

    with Group("billing", topic(0), [member], ways()) as group:
        with pytest.raises(UsageError, match=why):
            group.subscribe(*topics)
        group.await_assigned()
    with pytest.raises(UsageError, match="within the `with` of billing, saw it outside"):
        group.subscribe(*topic(0))
    with pytest.raises(UsageError, match="within the `with` of billing, saw it outside"):
        group.await_assigned()

    assert "subscribed" not in heard


def test_a_member_that_can_do_nothing_more_is_not_waited_for(launching: Launching) -> None:
    program = DEALT + """say('{"event": "fatal", "text": "UNRELEASED_INSTANCE_ID"}'); """ + ENDED
    member = Member(launching(program, "a"), lambda _name, _event: None)
    why = "a was to go on, and cannot: UNRELEASED_INSTANCE_ID"

    with (
        pytest.raises(PreconditionError, match=why),
        Group("billing", topic(0), [member], ways()) as group,
    ):
        group.await_handed(1, timeout_s=600)
