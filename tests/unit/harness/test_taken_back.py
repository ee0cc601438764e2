"""A move of replicas that is called off: AlterPartitionReassignments with none at all (KIP-455)."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from highwater.harness.gate.primitives import Reader
from highwater.harness.metadata import changes
from highwater.harness.model import TopicPartition


@pytest.mark.parametrize(
    ("replicas", "wanted"), [((2, 3), [2, 3]), ((), []), (None, None)], ids=["some", "none", "null"]
)
def test_no_replicas_are_not_the_same_as_a_list_without_any(
    replicas: Sequence[int] | None, wanted: list[int] | None
) -> None:
    change = changes.reassignment(TopicPartition("orders", 4), replicas)

    body = Reader(memoryview(bytes(change.body.buffer)), 0, flexible=True)
    body.int32()  # the timeout
    assert (body.unsigned_varint(), body.string()) == (2, "orders")  # one topic
    assert (body.unsigned_varint(), body.int32()) == (2, 4)  # and one partition
    assert body.nullable_array(body.int32) == wanted
