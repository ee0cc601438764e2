"""What a scenario asserts about sends, in words that somebody can read."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from highwater.harness.partition import Partition
from highwater.harness.workloads.sent import Sent


def test_an_error_of_many_records_is_told_once_and_counted() -> None:
    told: list[Any] = []
    partition = SimpleNamespace(require=lambda *asked, **seen: told.append((*asked, seen)))
    sent = Sent(2_500, 0, 1, failed=["MESSAGE_TOO_LARGE"], unknown=["_MSG_TIMED_OUT"] * 2_498)

    Partition.require_acked(cast("Partition", partition), sent)

    assert told == [
        (
            "all 2500 records are acknowledged",
            False,
            {"errors": {"MESSAGE_TOO_LARGE": 1, "_MSG_TIMED_OUT": 2_498}},
        )
    ]
