"""What probes have seen is on the record row by row, however it got there."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from highwater.harness.errors import InfrastructureError
from highwater.harness.model import PartitionState, ReplicaState, TopicPartition
from highwater.harness.record.reader import open_run
from highwater.harness.record.states import Probed, StateTables
from highwater.harness.record.writer import RunRecord
from highwater.harness.tables import REPLICA_STATES

FIRST, SECOND = TopicPartition("orders"), TopicPartition("orders", 1, 2)
WHERES = (FIRST, SECOND)
LED = PartitionState(
    leader=1, leader_epoch=4, isr=(1, 3), replicas=(3, 1, 2), topic_id="an-id-of-kafkas"
)
NAMES = REPLICA_STATES.names


def probed(at_ns: int, *ends: int | None, quiet: bool | None = None) -> Probed:
    states = tuple(ReplicaState(1, end, end, None) for end in ends)
    return Probed(at_ns, 1, quiet, {FIRST: LED}, WHERES, states)


def test_a_row_of_each_replica_says_what_its_broker_and_the_metadata_said() -> None:
    states = ReplicaState(3, 9, 8, 7), ReplicaState(3, None, None)

    table = StateTables().table([Probed(17, 3, True, {FIRST: LED}, WHERES, states)])

    assert table.schema.equals(REPLICA_STATES)
    assert [tuple(row.values()) for row in table.to_pylist()] == [
        (17, 3, "orders", 0, 9, 8, 1, 4, "1,3", True, "an-id-of-kafkas", "3,1,2", 7),
        (17, 3, "orders#2", 1, None, None, None, None, None, True, None, None, None),
    ]


def test_rows_of_several_probes_stand_in_their_order() -> None:
    other = Probed(8, 2, False, {}, (SECOND,), (ReplicaState(2, 6, 5, None),))

    table = StateTables().table([probed(7, 1, 2), other, probed(9, 1, 3), probed(10, 1, 3)])

    told = table.select(["at_ns", "broker", "partition", "log_end_offset", "leader", "quiet"])
    assert [tuple(row.values()) for row in told.to_pylist()] == [
        (7, 1, 0, 1, 1, None),
        (7, 1, 1, 2, None, None),
        (8, 2, 1, 6, None, False),
        (9, 1, 0, 1, 1, None),
        (9, 1, 1, 3, None, None),
        (10, 1, 0, 1, 1, None),
        (10, 1, 1, 3, None, None),
    ]


def test_what_is_remembered_is_told_of_nothing_else() -> None:
    """The same offsets under other metadata, and the same metadata of other partitions."""
    tables = StateTables()
    tables.table([probed(1, 5, 5)])
    moved = PartitionState(leader=2, leader_epoch=5, isr=(2,), replicas=(2, 1))
    states = (ReplicaState(1, 5, 5, None), ReplicaState(1, 5, 5, None))

    later = tables.table(
        [
            Probed(2, 1, None, {FIRST: moved}, WHERES, states),
            Probed(3, 1, None, {FIRST: LED}, (SECOND, FIRST), states),
        ]
    )

    told = later.select(["topic", "partition", "leader", "isr", "replicas", "topic_id"])
    assert [tuple(row.values()) for row in told.to_pylist()] == [
        ("orders", 0, 2, "2", "2,1", None),
        ("orders#2", 1, None, None, None, None),
        ("orders#2", 1, None, None, None, None),
        ("orders", 0, 1, "1,3", "3,1,2", "an-id-of-kafkas"),
    ]


def test_probes_that_could_not_be_written_are_written_once_and_before_later_ones(
    tmp_path: Path,
) -> None:
    (tmp_path / "replica_states").touch()  # a file where the table's directory should be
    with RunRecord(tmp_path, {}) as record:
        record.states(probed(1, 1, 1))
        with pytest.raises(InfrastructureError, match="cannot write the record"):
            record.flush()
        record.states(probed(2, 2, 2))
        with pytest.raises(InfrastructureError, match="cannot write the record"):
            record.flush()
        (tmp_path / "replica_states").unlink()
        record.flush()
        record.states(probed(3, 2, 2))

    rows = open_run(tmp_path).table("replica_states").to_pylist()
    assert [(row["at_ns"], row["partition"], row["log_end_offset"]) for row in rows] == [
        (1, 0, 1), (1, 1, 1), (2, 0, 2), (2, 1, 2), (3, 0, 2), (3, 1, 2)
    ]  # fmt: skip


def test_a_part_has_the_columns_of_the_ledger_and_no_other_types(tmp_path: Path) -> None:
    with RunRecord(tmp_path, {}) as record:
        record.states(probed(1, 1, None))

    (part,) = (tmp_path / "replica_states").glob("part-*.parquet")
    schema = pq.read_schema(part)
    assert schema.names == NAMES
    assert [field.type for field in schema] == [field.type for field in REPLICA_STATES]
    assert [field.nullable for field in schema] == [field.nullable for field in REPLICA_STATES]
