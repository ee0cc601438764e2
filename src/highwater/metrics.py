"""What was measured as OpenMetrics text, for whoever collects figures over time: metrics.txt.

Figures are those of the judge's tables, by the rules of OpenMetrics: seconds, counters that end in
_total, quantiles with their count. What was waited for and never came is +Inf, so that a limit set
on it is exceeded; what nobody could tell is left out.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from prometheus_client import Metric
from prometheus_client.openmetrics.exposition import generate_latest

from highwater.harness.errors import RecordError
from highwater.harness.model import Answer, Verdict
from highwater.harness.record.files import write_text
from highwater.harness.record.reader import StoredRun
from highwater.measured import final_readers
from highwater.reports.cells import read_cells
from highwater.reports.suite import ORDER, Suite
from highwater.reports.trials import relative_path
from highwater.reports.wording import visible

FILE = "metrics.txt"
Labels = Mapping[str, str]
Row = Mapping[str, Any]

QUANTILES = {"p50": "0.5", "p99": "0.99", "p999": "0.999", "max": "1.0"}
ENDED = ("acked", "failed", "unknown", "handed")
RESULTS = ("reproduced", "clean", "inconclusive")
FAMILIES = {  # name: type, unit, what it is
    "highwater_outcome": ("stateset", "", "What became of a test."),
    "highwater_duration_seconds": ("gauge", "seconds", "How long a test, or a trial, took."),
    "highwater_trials": ("gauge", "", "Trials of a cell, by what they showed."),
    "highwater_as_expected": ("gauge", "", "1 for a cell that is as expected, 0 for another."),
    "highwater_record_readable": ("gauge", "", "0 where a record tells no figures: damaged."),
    "highwater_anomalies": ("gauge", "", "Of a claim that is held (0) or violated."),
    "highwater_records": ("counter", "", "Records of a client, by what became of them."),
    "highwater_ack_latency_seconds": (
        "summary",
        "seconds",
        "From when a record was due until it was acknowledged; 1.0 is the longest.",
    ),
    "highwater_end_to_end_latency_seconds": (
        "summary",
        "seconds",
        "From when a record was due until it was handed out; 1.0 is the longest.",
    ),
    "highwater_longest_gap_seconds": ("gauge", "seconds", "Longest time with nothing acked."),
    "highwater_first_ack_seconds": ("gauge", "seconds", "From a fault to the first ack."),
    "highwater_silent_seconds": ("gauge", "seconds", "After a fault: sends waited in vain."),
    "highwater_leaderless_seconds": ("gauge", "seconds", "After a fault: nobody led."),
    "highwater_full_isr_seconds": ("gauge", "seconds", "From a fault to a full ISR."),
    "highwater_rebalances": ("counter", "", "Times in which partitions of a group had no owner."),
    "highwater_rebalance_seconds": ("gauge", "seconds", "The longest of these."),
    "highwater_group_lag_records": ("gauge", "records", "The largest lag of a group."),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A play, by the labels that all of its figures have."""

    labels: Labels
    run: StoredRun | None


class Metrics:
    """Families that are filled one play after the other; an exposition asks it to collect."""

    def __init__(self) -> None:
        self._families = {
            name: Metric(name, said, kind, unit) for name, (kind, unit, said) in FAMILIES.items()
        }

    def collect(self) -> Iterable[Metric]:
        return [each for each in self._families.values() if each.samples]

    def add(self, name: str, labels: Labels, figure: float, ending: str = "") -> None:
        told = {label: visible(value) for label, value in labels.items()}
        self._families[name].add_sample(name + ending, told, figure)

    def add_ms(self, name: str, labels: Labels, figure_ms: float | None) -> None:
        """Nothing where nothing is known."""
        if figure_ms is not None:
            self.add(name, labels, figure_ms / 1000)

    def text(self) -> str:
        return str(generate_latest(self).decode())  # type: ignore[no-untyped-call]  # it has none


def write_metrics(
    directory: Path, cells: Sequence[Mapping[str, Any]], runs: Sequence[StoredRun]
) -> Path:
    """Write `metrics.txt` of a comparison into `directory` and return its path."""
    stored = {relative_path(run.path, directory): run for run in runs}
    metrics, shown = Metrics(), []
    for cell in read_cells(cells):
        named = {"scenario": cell.scenario, "kafka": cell.kafka, "control": cell.control or ""}
        labels = {**named, "backend": cell.backend}
        for result in RESULTS:
            metrics.add("highwater_trials", {**labels, "result": result}, getattr(cell, result))
        if cell.expected is not None:
            metrics.add("highwater_as_expected", labels, float(not cell.unexpected))
        for path, seconds in zip(cell.runs, cell.seconds, strict=False):
            metrics.add("highwater_duration_seconds", {**labels, "run": path}, seconds)
        shown += [Shown(labels={**labels, "run": path}, run=stored.get(path)) for path in cell.runs]
    return _write(directory, metrics, shown)


def write_suite_metrics(directory: Path, suite: Suite, runs: Sequence[StoredRun]) -> Path:
    """Write `metrics.txt` of a suite into `directory` and return its path."""
    stored = {relative_path(run.path, directory): run for run in runs}
    metrics, shown = Metrics(), []
    for test in suite.tests:
        labels = {"test": test.test, "kafka": test.kafka or "", "backend": test.backend}
        for word in ORDER:
            told = {**labels, "highwater_outcome": word}
            metrics.add("highwater_outcome", told, float(test.outcome == word))
        metrics.add("highwater_duration_seconds", labels, test.seconds)
        shown.append(Shown(labels=labels, run=stored.get(test.run or "")))
    return _write(directory, metrics, shown)


def _write(directory: Path, metrics: Metrics, shown: Sequence[Shown]) -> Path:
    for each in shown:
        if each.run is not None:
            _add_run(metrics, each.labels, each.run)
    write_text(directory / FILE, metrics.text())
    return directory / FILE


def _add_run(metrics: Metrics, labels: Labels, run: StoredRun) -> None:
    try:
        last, verdicts = final_readers(run), run.verdicts()
        tables = [run.measures(), run.recoveries(), run.rebalances(), run.lags()]
        measures, recoveries, rebalances, lags = (table.to_pylist() for table in tables)
    except RecordError:
        metrics.add("highwater_record_readable", labels, 0)
        return
    metrics.add("highwater_record_readable", labels, 1)
    _add_verdicts(metrics, labels, verdicts)
    for row in _whole(measures):
        if row["client"] not in last:
            _add_client(metrics, labels, row)
    for row in _whole(recoveries):
        _add_fault(metrics, labels, row)
    _add_rebalances(metrics, labels, rebalances)
    for row in _whole(lags):
        if row["lag_records"] is not None:
            told = {**labels, "group": row["group"], "topic": row["topic"]}
            metrics.add("highwater_group_lag_records", told, row["lag_records"])


def _add_verdicts(metrics: Metrics, labels: Labels, verdicts: Sequence[Verdict]) -> None:
    for verdict in verdicts:
        if verdict.answer is not Answer.UNKNOWN:
            told = {**labels, "claim": verdict.claim}
            metrics.add("highwater_anomalies", told, verdict.anomalies)


def _whole(rows: Iterable[Row]) -> list[Row]:
    """Those of all partitions together, and of the whole time."""
    return [row for row in rows if row["partition"] is None and row.get("second") is None]


def _add_client(metrics: Metrics, labels: Labels, row: Row) -> None:
    told = {**labels, "client": row["client"], "topic": row["topic"]}
    for ended in ENDED:
        metrics.add("highwater_records", {**told, "result": ended}, row[ended], "_total")
    metrics.add_ms("highwater_longest_gap_seconds", told, row["longest_gap_ms"])
    for what, counted in (("ack", "acked"), ("end_to_end", "handed")):
        name = f"highwater_{what}_latency_seconds"
        if row[f"{what}_max_ms"] is None:
            continue
        for which, quantile in QUANTILES.items():
            metrics.add_ms(name, {**told, "quantile": quantile}, row[f"{what}_{which}_ms"])
        metrics.add(name, told, row[counted], "_count")


def _add_fault(metrics: Metrics, labels: Labels, row: Row) -> None:
    told = {**labels, "fault": row["fault"], "fault_id": row["fault_id"], "topic": row["topic"]}
    never_acked = row["sent_on"] and row["first_ack_ms"] is None
    first_ack_ms = math.inf if never_acked else row["first_ack_ms"]
    metrics.add_ms("highwater_first_ack_seconds", told, first_ack_ms)
    metrics.add_ms("highwater_silent_seconds", told, row["silent_ms"])
    metrics.add_ms("highwater_leaderless_seconds", told, row["leaderless_ms"])
    metrics.add_ms("highwater_full_isr_seconds", told, row["full_isr_ms"])


def _add_rebalances(metrics: Metrics, labels: Labels, rows: Sequence[Row]) -> None:
    """A group that had partitions without an owner to the end never had them all again."""
    for group in dict.fromkeys(row["group"] for row in rows):
        lasted = [row["rebalance_ms"] for row in rows if row["group"] == group]
        told = {**labels, "group": group}
        metrics.add("highwater_rebalances", told, len(lasted), "_total")
        longest_ms = math.inf if None in lasted else max(lasted)
        metrics.add_ms("highwater_rebalance_seconds", told, longest_ms)
