"""What a member in another language may say, by what it was told and has said before."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from highwater.harness.foreign.lines import BreachError
from highwater.harness.foreign.rules import Rules

ABLE = {"roles": ["producer", "member"], "settings": ["acks"], "compression": []}
HELLO = {
    "event": "hello", "protocol": 1, "library": "literal", "version": "1", "clock": "monotonic",
    "at_ns": 1, "capabilities": ABLE,
}  # fmt: skip
NOW_NS = 1_000
Line = Mapping[str, Any]


def dealt(what: str, at_ns: int, *places: tuple[str, int]) -> Line:
    named = [[*each] for each in places or [("orders", 0)]]
    return {"event": what, "at_ns": at_ns, "partitions": named, "generation": 1}


def polled(at_ns: int, *offsets: int) -> Line:
    records = [[each, "highwater:1", None] for each in offsets]
    told = {"topic": "orders", "partition": 0, "records": records}
    return {"event": "polled", "at_ns": at_ns, **told}


def processed(at_ns: int, first: int, end: int) -> Line:
    return {"event": "processed", "at_ns": at_ns, "offsets": [["orders", 0, first, end]]}


def commit(at_ns: int, position: int, topic: str = "orders") -> Line:
    return {"event": "commit", "at_ns": at_ns, "offsets": [[topic, 0, position]]}


def committed(at_ns: int, position: int) -> Line:
    told = {"offsets": [["orders", 0, position]], "error": None, "code": None}
    return {"event": "committed", "at_ns": at_ns, **told}


def hear(*lines: Line, role: str = "member") -> Rules:
    """Of a member that has said these, one after the other, and reads orders and bills."""
    rules = Rules(0)
    rules.hear(json.dumps(HELLO).encode(), NOW_NS)
    topics = {"topics": ["orders", "bills"]} if role == "member" else {}
    rules.say({"do": "begin", "role": role, **topics})
    rules.hear(b'{"event": "ready"}', NOW_NS)
    for line in lines:
        rules.hear(json.dumps(line).encode(), NOW_NS)
    return rules


HAS = dealt("assigned", 10)


def test_who_leaves_commits_to_its_library_says_none() -> None:
    rules = Rules(0)
    rules.hear(json.dumps(HELLO).encode(), NOW_NS)
    rules.say({"do": "begin", "role": "member", "topics": ["orders"], "commits": "auto"})
    for line in ({"event": "ready"}, HAS, polled(20, 0), processed(30, 0, 1)):
        rules.hear(json.dumps(line).encode(), NOW_NS)

    with pytest.raises(BreachError, match="expected no commit where its library commits by itself"):
        rules.hear(json.dumps(commit(40, 1)).encode(), NOW_NS)


def test_a_member_that_keeps_to_it_is_heard() -> None:
    rules = hear(
        HAS, polled(20, 3, 4, 6), processed(30, 3, 7), commit(40, 7), commit(45, 7),
        committed(50, 7), dealt("revoked", 60), polled(65, 7), dealt("assigned", 60),
        polled(70, 3), processed(80, 3, 8), dealt("assigned", 80, ("bills", 1)),
    )  # fmt: skip

    assert rules.membership.held == {("orders", 0), ("bills", 1)}
    assert rules.membership.unanswered == 1


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ([HAS, dealt("assigned", 20)], r"that it does not hold, saw \('orders', 0\)"),
        ([dealt("assigned", 10, ("orders", 0), ("orders", 0))], "that it does not hold"),
        ([HAS, dealt("lost", 20, ("orders", 0), ("orders", 0))], "lost only of partitions that it"),
        ([dealt("assigned", 9, ("orders#2", 0))], "what it reads: orders, bills, saw 'orders#2'"),
        ([commit(9, 5, "others")], "commit only of what it reads: orders, bills, saw 'others'"),
        ([HAS, {"event": "reached", "offsets": [["", 0, 9]]}], "reached only of what it reads"),
        ([{**polled(9, 5), "topic": "others"}], "polled only of what it reads"),
        ([polled(9, 5)], "polled only of partitions that it was assigned"),
        ([committed(9, 5)], "committed of what it said to commit, once"),
        ([commit(9, 5), committed(9, 5), committed(9, 5)], "it said to commit, once"),
    ],
)
def test_what_cannot_be_meant_breaks_the_protocol(lines: list[Line], why: str) -> None:
    with pytest.raises(BreachError, match=why):
        hear(*lines)


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ([HAS, dealt("revoked", 9)], "an at_ns of revoked not before that of what came before it"),
        ([HAS, dealt("lost", 20), dealt("assigned", 19)], "of assigned .* before it, 20, saw 19"),
        ([HAS, polled(9, 5)], "an at_ns of polled not before that of assigned, 10, saw 9"),
        ([HAS, polled(20, 5), processed(19, 5, 6)], "processed not before that of polled, 20"),
        ([commit(20, 5), committed(19, 5)], "committed not before that of commit, 20, saw 19"),
    ],
)
def test_nothing_is_from_before_what_it_tells_of(lines: list[Line], why: str) -> None:
    with pytest.raises(BreachError, match=why):
        hear(*lines)


@pytest.mark.parametrize(
    ("lines", "span", "of"),
    [
        ([], (0, 1), "nothing"),
        ([polled(20, 5, 6)], (5, 8), "5 to 6"),
        ([polled(20, 5, 6)], (4, 7), "5 to 6"),
        (
            [polled(20, 5), dealt("lost", 20), {**HAS, "at_ns": 21}, polled(22, 9)],
            (5, 10),
            "5 to 5",
        ),
        ([polled(20, 9, 5, 1)], (1, 10), "1 to 1, 5 to 5, 9 to 9"),
        ([polled(20, 9, 7, 5, 1)], (1, 10), "5 to 5, 7 to 7 and 1 more"),
    ],
)
def test_nothing_is_processed_that_was_not_handed_out(
    lines: list[Line], span: tuple[int, int], of: str
) -> None:
    with pytest.raises(BreachError, match=f"processed of what it was handed, .* is .*{of}"):
        hear(HAS, *lines, processed(90, *span))


@pytest.mark.parametrize(
    ("line", "role", "whose"),
    [
        ({"event": "ok", "records": []}, "member", "producer"),
        ({"event": "flushed", "at_ns": 9}, "member", "producer"),
        (dealt("assigned", 9), "producer", "member"),
        ({"event": "reached", "offsets": []}, "producer", "member"),
    ],
)
def test_nobody_says_what_is_for_another_role(line: Line, role: str, whose: str) -> None:
    with pytest.raises(BreachError, match=f"{line['event']} of a {whose} only"):
        hear(line, role=role)
