"""What clients achieved, as the terminal shows it: a line for each client and topic."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa

COUNTS = ("acked", "failed", "unknown", "handed")
LATENCIES = {"ack": "acknowledged", "end_to_end": "end to end"}
PERCENTILES = {"p50": "p50", "p99": "p99", "p999": "p99.9", "max": "max"}


def whole(measures: pa.Table) -> list[dict[str, Any]]:
    """Of each client and topic the row for all partitions and the whole run."""
    rows = measures.to_pylist()
    return [row for row in rows if row["partition"] is None and row["second"] is None]


def lines_of(measures: pa.Table) -> Iterator[str]:
    """Nothing where nobody sent anything, or was handed it."""
    for row in whole(measures):
        counts = ", ".join(f"{row[name]:,} {name}" for name in COUNTS if row[name])
        told = [counts, *_latencies(row)]
        if row["longest_gap_ms"] is not None:
            told.append(f"longest gap {row['longest_gap_ms']:,.1f} ms")
        yield f"{row['client']} on {row['topic']}: {'; '.join(told)}"


def _latencies(row: Mapping[str, Any]) -> Iterator[str]:
    for name, words in LATENCIES.items():
        figures = {shown: row[f"{name}_{which}_ms"] for which, shown in PERCENTILES.items()}
        if figures["max"] is not None:
            told = ", ".join(f"{shown} {each:,.1f}" for shown, each in figures.items())
            yield f"{words} {told} ms"
