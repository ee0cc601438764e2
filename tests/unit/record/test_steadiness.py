"""From when on nothing was done to a group, by a timeline."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from highwater.harness.record.reader import open_run
from highwater.harness.record.steadiness import disturbed_ns, healed_ns, steady_groups
from highwater.harness.record.writer import RunRecord

Event = dict[str, Any]


def client(at_ns: int, name: str, what: str, **more: Any) -> Event:
    return {"kind": "client", "at_ns": at_ns, "client": name, "event": what, **more}


def assigned(at_ns: int, name: str, *partitions: int) -> Event:
    return client(
        at_ns, name, "assigned", group="g", partitions=[["orders", each] for each in partitions]
    )


def stopping(at_ns: int, name: str) -> Event:
    return client(at_ns, name, "stopping", group="g")


def fault(at_ns: int, phase: str, number: int = 1) -> Event:
    return {"kind": "fault", "at_ns": at_ns, "phase": phase, "id": number}


BEGUN = [client(1, "a", "started"), client(2, "b", "started"), assigned(3, "a", 0, 1)]
ENDED = [stopping(90, "a"), stopping(91, "b"), client(92, "a", "ended")]
LEFT = {"since_ns": 2, "until_ns": 90, "topics": ["orders"]}


def test_a_group_is_left_alone_from_the_last_that_was_done() -> None:
    assert steady_groups([*BEGUN, *ENDED]) == {"g": LEFT}


@pytest.mark.parametrize(
    ("events", "since_ns"),
    [
        ([fault(20, "opened"), fault(30, "closed")], 30),
        ([fault(20, "failed")], 20),
        ([{"kind": "broker", "at_ns": 25}], 25),
        ([{"kind": "step", "at_ns": 25, "to": "orders"}], 25),
        ([{"kind": "step", "at_ns": 25}], 2),
        ([client(20, "a", "paused"), client(40, "a", "resumed")], 40),
        ([client(50, "b", "killed")], 50),
        ([client(20, "a", "busy", for_s=3e-8)], 50),
        (
            [
                client(20, "a", "busy", for_s=3e-8),
                client(25, "a", "paused"),
                client(30, "a", "resumed"),
            ],
            50,
        ),
        ([client(20, "a", "busy", for_s=3e-8), client(21, "a", "busy", for_s=1e-8)], 60),
        ([client(20, "a", "busy", for_s=3e-8), client(25, "a", "killed")], 25),
        ([client(50, "b", "leaving"), client(55, "b", "ended")], 55),
        ([client(50, "load", "started")], 2),
        ([client(20, "a", "paused"), client(30, "a", "killed")], 30),
    ],
)
def test_what_was_done_last_is_what_counts(events: list[Event], since_ns: int) -> None:
    (found,) = steady_groups([*BEGUN, *events, *ENDED]).values()

    assert (found["since_ns"], found["until_ns"]) == (since_ns, 90)


@pytest.mark.parametrize(
    "events",
    [
        [fault(20, "opened")],
        [fault(20, "opened"), fault(30, "unhealed")],
        [fault(20, "opened"), fault(21, "opened", 2), fault(30, "closed")],
        [client(20, "b", "paused")],
        [client(20, "a", "fatal")],
    ],
)
def test_who_ends_while_something_is_done_is_left_out(events: list[Event]) -> None:
    assert steady_groups([*BEGUN, *events, *ENDED]) == {}


def test_who_has_left_is_not_told_what_is_to_be_read() -> None:
    first = [client(20, each, "subscribed", topics=["orders"]) for each in ("a", "b")]
    left = [client(30, "b", "leaving"), client(31, "b", "ended")]
    then = client(40, "a", "subscribed", topics=["returns"])

    (found,) = steady_groups([*BEGUN, *first, *left, then, *ENDED]).values()

    assert (found["since_ns"], found["topics"]) == (40, ["returns"])


def test_it_is_to_read_what_it_was_told_last() -> None:
    told = [client(20, each, "subscribed", topics=["returns"]) for each in ("a", "b")]

    (found,) = steady_groups([*BEGUN, *told, *ENDED]).values()

    assert (found["topics"], found["since_ns"]) == (["returns"], 20)


def test_who_comes_later_is_to_read_what_the_others_are() -> None:
    told = client(20, "a", "subscribed", topics=["returns"])
    came = [client(30, "b", "started", topics=["returns"]), assigned(31, "b", 0)]
    gone = [client(40, "a", "leaving"), client(41, "a", "ended")]

    (found,) = steady_groups([BEGUN[0], BEGUN[2], told, *came, *gone, stopping(90, "b")]).values()

    assert found == {"since_ns": 41, "until_ns": 90, "topics": ["returns"]}


@pytest.mark.parametrize("gone", ["stopping", "killed"])
def test_another_group_of_that_name_is_to_read_what_it_was_told_itself(gone: str) -> None:
    told = client(20, "a", "subscribed", topics=["returns"])
    ended = [client(30, "a", gone, group="g"), client(31, "a", "ended")]
    again = [client(40, "c", "started", topics=["orders"]), assigned(41, "c", 0)]

    (found,) = steady_groups([BEGUN[0], BEGUN[2], told, *ended, *again, stopping(90, "c")]).values()

    assert found["topics"] == ["orders"]


def test_a_group_that_went_on_has_not_ended() -> None:
    again = [client(95, "c", "started"), assigned(96, "c", 0)]

    assert steady_groups([*BEGUN, *ENDED, *again]) == {}
    assert steady_groups([*BEGUN, *ENDED, *again, stopping(99, "c")])["g"] == {
        **LEFT, "since_ns": 95, "until_ns": 99
    }  # fmt: skip


def test_what_who_was_told_to_stop_is_assigned_is_a_matter_of_the_end() -> None:
    dealt_anew = [assigned(93, "b", 0, 1), client(94, "b", "ended")]

    assert steady_groups([*BEGUN, *ENDED, *dealt_anew]) == {"g": LEFT}


def test_all_is_healed_when_the_last_fault_is_or_the_last_broker_has_come() -> None:
    opened, closed = fault(10, "opened"), fault(20, "closed")
    told = [(25, "killed"), (27, "started"), (30, "serving"), (35, "serving")]
    back = [{"kind": "broker", "event": what, "broker": 1, "at_ns": at} for at, what in told]

    assert healed_ns([]) == 0
    assert healed_ns([opened]) is None
    assert healed_ns([opened, closed]) == 20
    assert healed_ns([opened, closed, *back]) == 30
    assert healed_ns([opened, closed, back[-1]]) == 20
    assert disturbed_ns([closed, opened, *back, opened]) == [10, 20, 25, 27, 30]


def test_the_record_says_so_at_its_end(tmp_path: Path) -> None:
    with RunRecord(tmp_path / "run", {}) as record:
        for event in [*BEGUN, *ENDED]:
            told = {name: event[name] for name in event.keys() - {"kind", "at_ns"}}
            record.event_at(event["at_ns"], event["kind"], "", told)
        record.event("gate", json.dumps({"client": 1}))
        record.end({"complete": True, "reason": None, "seconds": 1.0})

    identity = open_run(tmp_path / "run").identity
    assert identity["steady"] == {"g": LEFT}
    assert identity["healed_ns"] == 0
    assert identity["disturbed_ns"] == []
