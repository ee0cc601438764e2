"""What a trial measured, in a few numbers, and what the trials of a cell did together."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from highwater.harness.errors import RecordError
from highwater.harness.measurements import MEASURES, RECOVERIES
from highwater.harness.record.reader import StoredRun
from highwater.harness.tables import FINAL_READER
from highwater.reports.compared import WORDS

Row = Mapping[str, Any]
Measured = Mapping[str, float | None]  # None: what was waited for never came


def final_readers(run: StoredRun) -> set[str]:
    """The clients that read topics to their ends at last; raises RecordError as the run does."""
    names = run.table("clients").select(["client", "client_id"]).to_pylist()
    return {each["client"] for each in names if each["client_id"] == FINAL_READER}


def measured_of(run: StoredRun) -> dict[str, float | None]:
    """Of all clients and topics the slowest, of all faults and rebalances the worst, and of groups
    the largest lag; records are summed.

    Without what was not measured. Nothing of a record to which nobody sent, or that cannot be read:
    its own page says so.
    """
    try:
        last, measures, recoveries = final_readers(run), run.measures(), run.recoveries()
        rebalances, lags = run.rebalances(), run.lags()
    except RecordError:
        return {}
    whole = pc.field("partition").is_null() & pc.field("second").is_null()
    rows = [row for row in measures.filter(whole).to_pylist() if row["client"] not in last]
    of_clients = {name: _values(rows, name) for name in WORDS if name in MEASURES.names}
    found: dict[str, float | None] = {
        name: max(values) for name, values in of_clients.items() if values and name != "acked"
    }
    if not any(row[ended] for row in rows for ended in ("acked", "failed", "unknown")):
        return {}
    of_groups = _of_groups(rebalances.to_pylist(), lags.filter(whole).to_pylist())
    return {"acked": sum(of_clients["acked"]), **found, **_of_faults(recoveries), **of_groups}


def measured_to_its_end(run: StoredRun) -> dict[str, float | None]:
    """The same; nothing of a play that broke off, for it has measured a part."""
    is_whole = (run.identity.get("played") or {}).get("complete")
    return measured_of(run) if is_whole else {}


def summary(trials: Sequence[Measured]) -> dict[str, dict[str, Any]]:
    """By measure its median and range over those of these trials that have measured it.

    `never` says in how many of them what was waited for did not come; these have no number.
    """
    return {
        name: _summary([each[name] for each in trials if name in each])
        for name in WORDS
        if any(name in each for each in trials)
    }


def _summary(told: Sequence[float | None]) -> dict[str, Any]:
    known = [each for each in told if each is not None]
    return {
        "median": round(statistics.median(known), 3) if known else None,
        "least": round(min(known), 3) if known else None,
        "most": round(max(known), 3) if known else None,
        "trials": len(told),
        "never": len(told) - len(known),
    }


def _of_faults(recoveries: pa.Table) -> dict[str, float | None]:
    """An ISR that nobody saw full again was not measured: what is missing are looks."""
    rows = recoveries.filter(pc.field("partition").is_null()).to_pylist()
    never_acked = any(row["sent_on"] and row["first_ack_ms"] is None for row in rows)
    is_unseen = any(row["isr_shrank"] and row["full_isr_ms"] is None for row in rows)
    names = [name for name in WORDS if name in RECOVERIES.names]
    found: dict[str, float | None] = {
        name: max(values) for name in names if (values := _values(rows, name))
    }
    if is_unseen:
        found.pop("full_isr_ms", None)
    return {**found, "first_ack_ms": None} if never_acked else found


def _of_groups(rebalances: Sequence[Row], lags: Sequence[Row]) -> dict[str, float | None]:
    """A group that had partitions without an owner to the end never had them all again."""
    lasted, most = [row["rebalance_ms"] for row in rebalances], _values(lags, "lag_records")
    found: dict[str, float | None] = {}
    if lasted:
        found["rebalance_ms"] = None if None in lasted else max(lasted)
    return {**found, "lag_records": max(most)} if most else found


def _values(rows: Iterable[Row], name: str) -> list[float]:
    return [row[name] for row in rows if row[name] is not None]
