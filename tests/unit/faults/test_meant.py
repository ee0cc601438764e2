"""A broker or a partition that is none is refused when the fault is made: it would never fire."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from highwater.faults.answer_requests import AnswerRequests
from highwater.faults.freeze_threads import FreezeThreads
from highwater.faults.hold_acknowledgements import HoldAcknowledgements
from highwater.faults.hold_asked import HoldAsked
from highwater.faults.hold_produce import HoldProduce
from highwater.faults.mislead import Mislead
from highwater.faults.stall_asked import StallAsked
from highwater.faults.watch_produce import WatchProduce
from highwater.harness.errors import UsageError
from highwater.harness.model import TopicPartition

LATE = ("Produce", "REQUEST_TIMED_OUT")
OF_A_BROKER: dict[str, Callable[[Any], object]] = {
    "AnswerRequests": lambda broker: AnswerRequests(*LATE, broker=broker, done=True),
    "HoldAcknowledgements": lambda broker: HoldAcknowledgements("load", broker=broker),
    "HoldProduce": lambda broker: HoldProduce("load", broker=broker),
    "Mislead": lambda broker: Mislead("load", broker),
    "HoldAsked": lambda broker: HoldAsked("Fetch", "member-1", broker=broker),
    "StallAsked": lambda broker: StallAsked("Produce", "load", broker=broker),
    "WatchProduce": lambda broker: WatchProduce("load", broker),
}


@pytest.mark.parametrize("name", OF_A_BROKER)
def test_what_is_no_broker_is_refused(name: str) -> None:
    OF_A_BROKER[name](1)
    for wrong in ("1", True, 1.0, (1,)):
        with pytest.raises(UsageError) as refused:
            OF_A_BROKER[name](wrong)
        assert str(refused.value) == f"{name}: expected the number of a broker, saw {wrong!r}"


def test_what_is_no_partition_is_refused() -> None:
    AnswerRequests(*LATE, where=TopicPartition("orders"), done=True)
    where: Any = ("orders", 0)
    with pytest.raises(UsageError, match="expected a TopicPartition for where, saw"):
        AnswerRequests(*LATE, where=where, done=True)


@pytest.mark.parametrize("wrong", ["", "Replica\0"])
def test_threads_without_a_name_are_refused(wrong: str) -> None:
    FreezeThreads(1, "ReplicaFetcherThread")
    with pytest.raises(UsageError, match=r"how the names of threads begin.* saw .*; Pause stops"):
        FreezeThreads(1, wrong)
