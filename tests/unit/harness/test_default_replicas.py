"""A topic of which nobody says how many replicas it has gets as many as brokers give (KIP-464)."""

from __future__ import annotations

from typing import Any, cast

import pytest

from highwater.harness.errors import UsageError
from highwater.harness.gate.primitives import Reader
from highwater.harness.metadata import changes
from highwater.harness.metadata.zookeeper import ZooKeeperMetadata


def asked(assignments: list[tuple[int, ...]]) -> tuple[int, int, int]:
    """How many partitions and replicas are asked for, and how many partitions are assigned some."""
    body = Reader(bytes(changes.creation("orders", assignments, {}).body.buffer), 0, flexible=True)
    assert body.unsigned_varint() - 1 == 1
    assert body.string() == "orders"
    return body.int32(), body.int16(), body.unsigned_varint() - 1


@pytest.mark.parametrize(
    ("assignments", "numbers"),
    [([(), ()], (2, -1, 0)), ([(1, 2), (2, 3)], (-1, -1, 2))],
    ids=["by default", "assigned"],
)
def test_brokers_are_asked_for_partitions_and_for_replicas_where_some_are_said(
    assignments: list[tuple[int, ...]], numbers: tuple[int, int, int]
) -> None:
    assert asked(assignments) == numbers


def test_where_topics_are_written_nobody_gives_replicas() -> None:
    metadata = object.__new__(ZooKeeperMetadata)
    metadata._znodes = cast("Any", None)  # nothing is written

    with pytest.raises(UsageError, match="orders cannot have as many replicas as brokers give"):
        metadata.create_topic("orders", [()], {})
