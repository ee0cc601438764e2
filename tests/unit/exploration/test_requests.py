"""Records that are sent by hand, read by kafka-python's own reader of batches and by ours."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from kafka.record import MemoryRecords

from highwater.harness.probes.records import stretches_of
from highwater.harness.probes.segments import read_entries
from highwater.harness.workloads.payload import examine
from highwater.harness.workloads.requests import ENCODE, Producing, message_set, record_batch

NOW_MS = 1_700_000_000_000


@pytest.mark.parametrize("make", [message_set, record_batch])
@pytest.mark.parametrize("count", [1, 3, 200])
def test_what_is_sent_by_hand_is_what_others_read(
    make: Callable[[list[bytes], int], bytes], count: int, tmp_path: Path
) -> None:
    contents = [ENCODE(value)[0] for value in range(1, count + 1)]

    sent = make(contents, NOW_MS)

    records, read = MemoryRecords(sent), []
    while records.has_next():
        batch = records.next_batch()
        assert batch.validate_crc()
        read += [(record.value, record.timestamp, record.key) for record in batch]
    assert read == [(content, NOW_MS, None) for content in contents]
    segment = tmp_path / f"{0:020d}.log"
    segment.write_bytes(sent)
    values = []
    for entry in read_entries(segment):
        for stretch in stretches_of(entry):
            assert stretch.problem is None
            found = stretch.alike.values if stretch.alike else [r.value for r in stretch.records]
            values += [examine(value or b"")[0] for value in found]
    assert values == list(range(1, count + 1))


def test_a_batch_of_a_transaction_says_whose_it_is() -> None:
    contents = [ENCODE(value)[0] for value in (1, 2)]

    sent = record_batch(contents, NOW_MS, Producing(7, 3, 10, "orders"))

    batch = MemoryRecords(sent).next_batch()
    assert batch is not None
    assert batch.validate_crc()
    assert batch.is_transactional
    assert (batch.producer_id, batch.producer_epoch, batch.base_sequence) == (7, 3, 10)
    plain = MemoryRecords(record_batch(contents, NOW_MS)).next_batch()
    assert plain is not None
    assert not plain.is_transactional
