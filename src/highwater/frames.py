"""What recorded runs showed, as pandas frames, for notebooks: verdicts, and what was measured."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

import pandas as pd

from highwater.harness.model import Answer
from highwater.harness.record.reader import StoredRun, find_runs
from highwater.measured import final_readers
from highwater.reports.pictured import Picture
from highwater.reports.trials import relative_path
from highwater.reports.wording import counted

OF_A_RUN = ("run", "subject", "kafka", "control")
MOST_ROWS = 30  # of a table in a notebook
IN_SHORT = ("acked", "failed", "unknown", "handed", "ack_p50_ms", "ack_p99_ms", "longest_gap_ms")


@dataclass(frozen=True, eq=False)
class Frames:
    """All runs of a directory; `run` in each row says which of them it is of.

    `subject` is the scenario or test. Columns beside these are those of docs/ledger.md; final
    readers are left out of `measures`.
    """

    runs: pd.DataFrame
    verdicts: pd.DataFrame
    measures: pd.DataFrame
    recoveries: pd.DataFrame
    rebalances: pd.DataFrame
    lags: pd.DataFrame
    charts: Mapping[str, Picture]  # by run; a notebook shows each as the report does

    @property
    def violated(self) -> pd.DataFrame:
        return self.verdicts[self.verdicts["answer"] == Answer.VIOLATED.value]

    @property
    def clients(self) -> pd.DataFrame:
        """A row for each client and topic: all partitions, and the whole time."""
        measures = self.measures
        return measures[measures["partition"].isna() & measures["second"].isna()]

    def _repr_html_(self) -> str:
        """In a notebook: what is violated, and what clients achieved."""
        violated, clients = self.violated.drop(columns="witnesses"), self.clients
        shown = [*OF_A_RUN, "client", "topic", *IN_SHORT]
        found = f"{counted(len(self.runs), 'run')}</strong>: "
        parts = [
            f"<p><strong>{found}{counted(len(violated), 'violated claim')}</p>",
            _table("Violated claims", violated),
            _table("What clients achieved", clients[shown]),
        ]
        return "\n".join(parts)


def read_frames(place: Path) -> Frames:
    """Of a run, a comparison or a suite; raises RecordError for what cannot be read."""
    runs = find_runs(place)
    named = [_named(run, place) for run in runs]

    def frame(rows_of: Callable[[StoredRun], pd.DataFrame]) -> pd.DataFrame:
        parts = [_with(rows_of(run), names) for run, names in zip(runs, named, strict=True)]
        told = [part for part in parts if len(part)]
        return pd.concat(told, ignore_index=True) if told else parts[0]

    return Frames(
        runs=pd.DataFrame(named),
        verdicts=frame(_verdicts),
        measures=frame(_measures),
        recoveries=frame(lambda run: run.recoveries().to_pandas()),
        rebalances=frame(lambda run: run.rebalances().to_pandas()),
        lags=frame(lambda run: run.lags().to_pandas()),
        charts={
            names["run"]: Picture(_titled(names), run)
            for run, names in zip(runs, named, strict=True)
        },
    )


def _named(run: StoredRun, place: Path) -> dict[str, Any]:
    identity = run.identity
    subject = identity.get("scenario") or identity.get("test") or run.name
    told = (relative_path(run.path, place), subject, identity.get("kafka"), identity.get("control"))
    return dict(zip(OF_A_RUN, told, strict=True))


def _titled(names: Mapping[str, Any]) -> str:
    subject, *others = (str(names[each]) for each in OF_A_RUN[1:] if names[each])
    return f"{subject} on Kafka {' '.join(others)}" if others else subject


def _with(frame: pd.DataFrame, names: dict[str, Any]) -> pd.DataFrame:
    for at, (name, value) in enumerate(names.items()):
        frame.insert(at, name, value)
    return frame


def _verdicts(run: StoredRun) -> pd.DataFrame:
    columns = ["claim", "answer", "considered", "anomalies", "reason", "witnesses"]
    rows = [
        (each.claim, each.answer.value, each.considered, each.anomalies, each.reason,
         list(each.witnesses))
        for each in run.verdicts()
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=columns)


def _measures(run: StoredRun) -> pd.DataFrame:
    last: Sequence[str] = sorted(final_readers(run))
    measures: pd.DataFrame = run.measures().to_pandas()
    return measures[~measures["client"].isin(last)].reset_index(drop=True)


def _table(title: str, frame: pd.DataFrame) -> str:
    if not len(frame):
        return f"<p>{escape(title)}: none</p>"
    more = len(frame) - MOST_ROWS
    left = f"<p>{more} more rows</p>" if more > 0 else ""
    table = frame.head(MOST_ROWS).to_html(index=False, border=0, na_rep="")
    return f"<h4>{escape(title)}</h4>\n{table}{left}"
