"""One position a hundred times over, as a log of positions has it."""

from __future__ import annotations

from pathlib import Path

from highwater.harness.model import TopicPartition
from highwater.harness.probes.positions import Committed, committed_in
from highwater.harness.probes.records import stretches_of
from highwater.harness.probes.segments import log_entries
from highwater.harness.workloads.position_batches import position_batch

WHERE = TopicPartition("orders", 3)


def test_every_record_of_a_batch_is_the_position_of_the_group(tmp_path: Path) -> None:
    batch = position_batch("reads", WHERE, 100, 1_700_000_000_000)
    (tmp_path / f"{0:020}.log").write_bytes(batch)

    (entry,) = log_entries(tmp_path)
    records = [
        record for stretch in stretches_of(entry, in_columns=False) for record in stretch.records
    ]

    assert len(batch) < 2000
    assert [record.offset for record in records] == [*range(100)]
    assert {committed_in(record.key, record.value) for record in records} == {
        Committed("reads", "orders", 3, 0)
    }
