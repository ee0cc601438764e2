"""Answers of brokers to controllers, as long as those that were seen of them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest

from highwater.faults.at_the_gate import AtTheGate
from highwater.scenarios.acts.orders_taken import has_taken_all

MANY, ONE = "m" * 27, "o" * 22


def orders(*answers: tuple[int, int]) -> AtTheGate:
    """Answers of a version and so many bytes."""
    events = [
        {"event": "seen", "api_version": version, "frame_bytes": length}
        for version, length in answers
    ]
    rule = SimpleNamespace(events=lambda: [{"event": "standing"}, *events])
    return cast("AtTheGate", SimpleNamespace(rule=rule))


@pytest.mark.parametrize(("version", "length"), [(0, 1794), (5, 406), (7, 406)])
def test_an_answer_about_all_is_as_long_as_brokers_make_it(version: int, length: int) -> None:
    """Of 0.10.0.1, 2.8.0 and 3.9.1, with 50 partitions of one topic and one of another."""
    wanted = {MANY: 50, ONE: 1}

    assert has_taken_all(orders((version, length)), wanted)
    assert not has_taken_all(orders((version, length - 1)), wanted)
    assert not has_taken_all(orders((version, length // 2), (version, length // 2)), wanted)
    assert not has_taken_all(orders(), wanted)
