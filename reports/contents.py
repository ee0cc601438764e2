"""One run directory, read once: what cannot be read is a sentence on the page, not a crash."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from highwater.harness.errors import RecordError
from highwater.harness.measurements import LAGS, MEASURES, REBALANCES, RECOVERIES
from highwater.harness.model import Verdict
from highwater.harness.record.reader import StoredRun
from highwater.harness.tables import TABLES
from highwater.reports.identities import identity_of

Event = Mapping[str, Any]


@dataclass(frozen=True)
class RunContents:
    """Everything that a run left behind, with the parts that could not be read in `problems`."""

    identity: Mapping[str, Any]  # without what is not as it ought to be
    events: Sequence[Event]  # in the order of their times
    verdicts: Sequence[Verdict]
    tables: Mapping[str, pa.Table]
    problems: Sequence[str]
    measures: pa.Table = field(default_factory=MEASURES.empty_table)
    recoveries: pa.Table = field(default_factory=RECOVERIES.empty_table)
    rebalances: pa.Table = field(default_factory=REBALANCES.empty_table)
    lags: pa.Table = field(default_factory=LAGS.empty_table)

    def rows(self, table: str, *columns: str) -> Iterator[tuple[Any, ...]]:
        """Chosen columns of a table, row by row."""
        chosen = [self.tables[table].column(name).to_pylist() for name in columns]
        return zip(*chosen, strict=True)

    def partitions(self, table: str) -> list[tuple[str, int]]:
        named = self.tables[table].group_by(["topic", "partition"]).aggregate([]).to_pylist()
        return sorted((each["topic"], each["partition"]) for each in named)

    @property
    def end_ns(self) -> int:
        """The last moment that anything was recorded."""
        samples = [at_ns for (at_ns,) in self.rows("replica_states", "at_ns")]
        return max([int(event["at_ns"]) for event in self.events] + samples, default=0)


def load(run: StoredRun) -> RunContents:
    identity, strange = identity_of(run)
    problems = [*strange]
    return RunContents(
        identity=identity,
        events=_events(run, problems),
        verdicts=_verdicts(run, problems),
        tables={name: _table(run, name, problems) for name in TABLES},
        problems=problems,
        measures=_measured(run.measures, MEASURES, problems),
        recoveries=_measured(run.recoveries, RECOVERIES, problems),
        rebalances=_measured(run.rebalances, REBALANCES, problems),
        lags=_measured(run.lags, LAGS, problems),
    )


def _events(run: StoredRun, problems: list[str]) -> list[Event]:
    try:
        events = run.events()
    except RecordError as error:
        problems.append(str(error))
        return []
    timed = [event for event in events if isinstance(event.get("at_ns"), int)]
    return sorted(timed, key=lambda event: int(event["at_ns"]))


def _verdicts(run: StoredRun, problems: list[str]) -> list[Verdict]:
    try:
        return run.verdicts()
    except RecordError as error:
        problems.append(str(error))
        return []


def _measured(read: Callable[[], pa.Table], schema: pa.Schema, problems: list[str]) -> pa.Table:
    try:
        return read()
    except RecordError as error:
        problems.append(str(error))
        return schema.empty_table()


def _table(run: StoredRun, name: str, problems: list[str]) -> pa.Table:
    try:
        return run.table(name)
    except RecordError as error:
        problems.append(str(error))
        return TABLES[name].empty_table()
