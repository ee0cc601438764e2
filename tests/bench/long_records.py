"""Histories of millions of records, as a recorder would write them: clean, or nearly so."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa

from highwater.harness.model import SCHEMA_VERSION
from highwater.harness.record.files import write_json, write_parquet
from highwater.harness.tables import HISTORY, NO_KEY

PARTITIONS = 12
PART_ROWS = 250_000  # what a busy second leaves
EVERY_NS, FLIGHT_NS = 4_000, 3_000_000
TOPIC = "orders"


def write_long_record(path: Path, records: int, lost: int = 1_000_003) -> Path:
    """So many sends acknowledged, by a producer for each partition, and as many polls behind them.

    One of every `lost` is lost, so that there is something to find; the topic is read partition by
    partition.
    """
    path.mkdir(parents=True)
    write_json(path / "run.json", {"schema": SCHEMA_VERSION, "scenario": f"{records} records"})
    sent = np.arange(records)
    by_partition = np.argsort(sent % PARTITIONS, kind="stable")
    read = by_partition[by_partition % lost != lost - 1]
    part = 0
    for action, values in (("send", sent), ("poll", read)):
        for start in range(0, len(values), PART_ROWS):
            table = _rows(action, values[start : start + PART_ROWS], start, records)
            write_parquet(path / "history" / f"part-{part:06d}.parquet", table)
            part += 1
    ends = [
        {"partition": one, "offset": -(-(records - one) // PARTITIONS)} for one in range(PARTITIONS)
    ]
    last = _last(ends, records)
    write_parquet(path / "history" / f"part-{part:06d}.parquet", last)
    return path


def _rows(action: str, values: np.ndarray, start: int, records: int) -> pa.Table:
    rows, is_send = len(values), action == "send"
    op = 2 * (start + np.arange(rows)) + (not is_send)
    tick = values if is_send else records + start + np.arange(rows)
    invoked = tick * EVERY_NS + _scattered(op) % EVERY_NS
    flight = FLIGHT_NS + _scattered(op + 2) % FLIGHT_NS
    partition = values % PARTITIONS
    client = pa.DictionaryArray.from_arrays(
        partition, [f"producer-{one}" if is_send else "reader" for one in range(PARTITIONS)]
    )
    columns = {
        "op": op,
        "client": client.cast(pa.string()),
        "action": pa.repeat(action, rows),
        "outcome": pa.repeat("ok", rows),
        "topic": pa.repeat(TOPIC, rows),
        "partition": partition.astype(np.int32),
        "offset": values // PARTITIONS,
        "value": values,
        "checksum": _scattered(values),
        "acks": pa.repeat("all", rows) if is_send else pa.nulls(rows, pa.string()),
        "invoked_ns": invoked,
        "completed_ns": invoked + flight if is_send else invoked,
        "error": pa.nulls(rows, pa.string()),
        "transaction": pa.nulls(rows, pa.int64()),
        "intended_ns": pa.nulls(rows, pa.int64()),
        "made_of": pa.nulls(rows, pa.int64()),
        "key": pa.repeat(NO_KEY, rows),
    }
    return pa.table({name: pa.array(column) for name, column in columns.items()}, schema=HISTORY)


def _scattered(numbers: np.ndarray) -> np.ndarray:
    """A number of 32 bits for each, without any order, as checksums are."""
    mixed = numbers.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> np.uint64(29)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    return (mixed >> np.uint64(32)).astype(np.int64)


def _last(ends: list[dict[str, int]], records: int) -> pa.Table:
    now = 2 * (records * EVERY_NS + FLIGHT_NS)
    row = {"client": "reader", "action": "end", "outcome": "ok", "topic": TOPIC}
    times = {"invoked_ns": now, "completed_ns": now}
    rows = [{**row, **times, **end, "op": 4 * records + at} for at, end in enumerate(ends)]
    return pa.Table.from_pylist(rows, schema=HISTORY)
