"""What clients and groups achieved under which faults, as the terminal shows it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa

COUNTS = ("acked", "failed", "unknown", "handed")
LATENCIES = {"ack": "acknowledged", "end_to_end": "end to end"}
PERCENTILES = {"p50": "p50", "p99": "p99", "p999": "p99.9", "max": "max"}
MOST_FAULTS = 20  # lines about them

Row = Mapping[str, Any]


def whole(measures: pa.Table) -> list[dict[str, Any]]:
    """Of each client and topic the row for all partitions and the whole run."""
    rows = measures.to_pylist()
    return [row for row in rows if row["partition"] is None and row["second"] is None]


def of_topics(recoveries: pa.Table) -> list[dict[str, Any]]:
    """Of each fault and topic the row of the worst."""
    return [row for row in recoveries.to_pylist() if row["partition"] is None]


def of_groups(lags: pa.Table) -> list[dict[str, Any]]:
    """Of each group and topic the row for all partitions and the whole run."""
    return whole(lags)


def lines_of(measures: pa.Table) -> Iterator[str]:
    """A line for each client and topic; nothing where nobody sent anything, or was handed it."""
    for row in whole(measures):
        counts = ", ".join(f"{row[name]:,} {name}" for name in COUNTS if row[name])
        told = [counts, *_latencies(row)]
        if row["longest_gap_ms"] is not None:
            told.append(f"longest gap {row['longest_gap_ms']:,.1f} ms")
        yield f"{row['client']} on {row['topic']}: {'; '.join(told)}"


def fault_lines_of(recoveries: pa.Table) -> Iterator[str]:
    """A line for each fault and topic, of the first ones."""
    rows = of_topics(recoveries)
    for row in rows[:MOST_FAULTS]:
        told = [*_acknowledged(row), *_replicated(row)]
        yield f"{row['fault']} {_when(row)}, on {row['topic']}: {'; '.join(told)}"
    if len(rows) > MOST_FAULTS:
        yield f"and {len(rows) - MOST_FAULTS:,} more in recoveries.parquet"


def group_lines_of(rebalances: pa.Table) -> Iterator[str]:
    """A line for each time in which partitions of a group had no owner, of the first ones."""
    rows = rebalances.to_pylist()
    for row in rows[:MOST_FAULTS]:
        count, lasted_ms = row["partitions"], row["rebalance_ms"]
        many = "1 partition" if count == 1 else f"{count:,} partitions"
        until = "to the end" if lasted_ms is None else f"for {lasted_ms:,.1f} ms"
        when = f"at {row['from_ns'] / 1e9:,.1f} s ({row['client']} {row['how']})"
        after = f", {_members(row)}" if row["members"] is not None else ""
        yield f"rebalance of {row['group']} {when}: {many} without an owner {until}{after}"
    if len(rows) > MOST_FAULTS:
        yield f"and {len(rows) - MOST_FAULTS:,} more in rebalances.parquet"


def lag_lines_of(lags: pa.Table) -> Iterator[str]:
    """A line for each group and topic."""
    for row in of_groups(lags):
        whose = f"lag of {row['group']} on {row['topic']}"
        if row["lag_records"] is None:
            yield f"{whose}: not known"
        else:
            told = [f"{_records(row['lag_records'])} at most"]
            if row["lag_records"]:
                told.append(f"above half of that for {row['above_half_ms'] / 1e3:,.1f} s")
            yield f"{whose}: {', '.join(told)}, {row['last_records']:,} at the end"


def _members(row: Row) -> str:
    count, generation = row["members"], row["generation"]
    found = "1 member" if count == 1 else f"{count:,} members"
    return found if generation is None else f"{found}, generation {generation}"


def _records(count: int) -> str:
    return "1 record" if count == 1 else f"{count:,} records"


def _latencies(row: Row) -> Iterator[str]:
    for name, words in LATENCIES.items():
        figures = {shown: row[f"{name}_{which}_ms"] for which, shown in PERCENTILES.items()}
        if figures["max"] is not None:
            told = ", ".join(f"{shown} {each:,.1f}" for shown, each in figures.items())
            yield f"{words} {told} ms"


def _acknowledged(row: Row) -> Iterator[str]:
    if not row["sent_on"]:
        yield "nobody sent on"
        return
    first_ms = row["first_ack_ms"]
    yield "never acknowledged again" if first_ms is None else f"first ack after {first_ms:,.1f} ms"
    yield f"silent {row['silent_ms']:,.1f} ms"


def _replicated(row: Row) -> Iterator[str]:
    if row["leaderless_ms"] is not None:
        yield f"no leader {row['leaderless_ms']:,.1f} ms"
    if row["isr_shrank"] is None:
        return
    full_ms = row["full_isr_ms"]
    if not row["isr_shrank"]:
        yield "the ISR never shrank"
    elif full_ms is None:
        yield "the ISR shrank and was not seen full again"
    else:
        yield f"ISR full again after {full_ms:,.1f} ms"


def _when(row: Row) -> str:
    since_ns, until_ns = row["from_ns"], row["until_ns"]
    lasted = "" if until_ns is None else f" for {(until_ns - since_ns) / 1e9:,.1f} s"
    return f"at {since_ns / 1e9:,.1f} s{lasted}"
