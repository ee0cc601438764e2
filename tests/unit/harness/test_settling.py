"""When replicas are said to agree, and what is said of those that do not."""

from __future__ import annotations

import pytest

from highwater.harness.evidence import is_settled, unsettled
from highwater.harness.model import PartitionState, ReplicaState, TopicPartition
from highwater.harness.sampling import Look

WHERE = TopicPartition("orders")


def seen(*offsets: tuple[int | None, int | None], isr: tuple[int, ...] | None = (1, 2)) -> Look:
    states = {
        broker: ReplicaState(broker, end, mark) for broker, (end, mark) in enumerate(offsets, 1)
    }
    partition = None if isr is None else PartitionState(1, 0, isr, (1, 2))
    return Look(partition, states)


def test_replicas_with_one_end_that_is_the_high_watermark_and_a_full_isr_are_settled() -> None:
    assert is_settled(seen((5, 5), (5, 5)))
    assert is_settled(seen((0, 0), (0, 0)))
    assert not unsettled(WHERE, seen((5, 5), (5, 5)), "after 60 s")


@pytest.mark.parametrize(
    "looked",
    [
        seen((5, 5), (4, 4)),
        seen((5, 5), (5, 4)),
        seen((5, 4), (5, 4)),
        seen((5, 5), (None, None)),
        seen((None, None), (None, None)),
        seen((5, 5), (5, 5), isr=(1,)),
        seen((5, 5), (5, 5), isr=()),
        seen((5, 5), (5, 5), isr=None),
    ],
)
def test_anything_less_is_not_settled(looked: Look) -> None:
    assert not is_settled(looked)


def test_why_replicas_are_not_settled_is_told_broker_by_broker() -> None:
    told = unsettled(WHERE, seen((5, 5), (4, None), isr=(1,)), "after 60 s")

    assert "after 60 s 1: LEO 5 and HW 5, 2: LEO 4 and HW None; the ISR is {1}; look at" in told
    assert "nobody knows the ISR" in unsettled(WHERE, seen((5, 5), isr=None), "after 60 s")
