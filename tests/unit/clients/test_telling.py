"""What the timeline has of a client that begins."""

from __future__ import annotations

from typing import Any

import pytest

from highwater.harness.clients.telling import start_of

READS = {"settings": {}, "topics": ["orders", "returns"], "incarnations": {"returns": 2}}


@pytest.mark.parametrize("role", ["member", "pipe"])
def test_a_member_that_begins_says_what_it_is_to_read_as_the_record_calls_it(role: str) -> None:
    assert start_of({**READS, "role": role}, 0)["topics"] == ["orders", "returns#2"]


@pytest.mark.parametrize(
    "order",
    [{**READS, "role": "sharer"}, {"settings": {}, "role": "producer", "topic": "orders"}],
)
def test_who_is_in_no_such_group_does_not(order: dict[str, Any]) -> None:
    assert "topics" not in start_of(order, 0)
