"""What the timeline says of a loss, and of divergence."""

from __future__ import annotations

import pytest

from highwater.checkers.findings import Findings
from highwater.checkers.traces import explain

ELECTED = {"at_ns": 10, "kind": "metadata", "text": "leader 3, leader epoch 2, ISR {3}"}
STARTED = {"at_ns": 20, "kind": "broker", "text": "broker 2 started", "broker": 2}
LATER = {"at_ns": 40, "kind": "metadata", "text": "leader 3, leader epoch 2, ISR {2, 3}"}
OTHER = {"at_ns": 25, "kind": "broker", "text": "broker 1 started", "broker": 1}


@pytest.mark.parametrize(
    ("broker", "at_ns", "told"),
    [
        (2, 30, f"{ELECTED['text']}; broker 2 started"),
        (2, 15, ELECTED["text"]),
        (2, 5, None),
        (None, None, None),
    ],
)
def test_what_came_last_before_a_record_was_gone_or_written_is_told(
    broker: int | None, at_ns: int | None, told: str | None
) -> None:
    lost: dict[str, object] = {"last_seen_on": broker, "gone_ns": at_ns}
    diverged: dict[str, object] = {"last_written_on": broker, "last_written_ns": at_ns}
    found = {"lost-write": Findings(witnesses=[lost]),
             "replica-divergence": Findings(witnesses=[diverged])}  # fmt: skip

    explain(found, [ELECTED, STARTED, OTHER, LATER])

    assert (lost["removed_by"], diverged["written_after"]) == (told, told)
