"""One run directory, read once: what cannot be read is a sentence on the page, not a crash."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from highwater.harness.errors import RecordError
from highwater.harness.measurements import LAGS, MEASURES, REBALANCES, RECOVERIES
from highwater.harness.model import Verdict
from highwater.harness.record.reader import StoredRun
from highwater.harness.tables import TABLES
from highwater.reports.bounded import MOST_ROWS, PLACES, Asked, Excerpt, asked_of, excerpt, kept
from highwater.reports.happenings import is_event
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
    excerpts: Mapping[str, Excerpt] = field(default_factory=dict)  # of which `tables` has a part
    run: StoredRun | None = None

    def rows(self, table: str, *columns: str) -> Iterator[tuple[Any, ...]]:
        """Chosen columns of a table, row by row."""
        chosen = [self.tables[table].column(name).to_pylist() for name in columns]
        return zip(*chosen, strict=True)

    def partitions(self, table: str) -> list[tuple[str, int]]:
        named = self.tables[table].group_by(["topic", "partition"]).aggregate([]).to_pylist()
        return sorted((each["topic"], each["partition"]) for each in named)

    def count(self, table: str, chosen: pc.Expression) -> int:
        """How many rows are as chosen, of a table of whatever size."""
        if table in self.excerpts and self.run:
            return sum(part.filter(chosen).num_rows for part in self.run.each_part(table))
        return int(self.tables[table].filter(chosen).num_rows)

    def logs_read(self) -> set[tuple[str, int, int]]:
        """Topic, partition and broker of each log of which there are records."""
        if "replica_logs" in self.excerpts:
            return {*self.excerpts["replica_logs"].places}
        named = self.tables["replica_logs"].group_by(PLACES).aggregate([]).to_pylist()
        return {(each["topic"], each["partition"], each["broker"]) for each in named}

    @property
    def left_out(self) -> Sequence[str]:
        """What of the record is not on the page."""
        return [
            f"{name} has {each.of:,} rows, of which {len(each.rows):,} are drawn here: "
            f"{kept(name)}. Verdicts and measures are of all of them."
            for name, each in self.excerpts.items()
        ]

    @property
    def end_ns(self) -> int:
        """The last moment that anything was recorded."""
        samples = [at_ns for (at_ns,) in self.rows("replica_states", "at_ns")]
        return max([int(event["at_ns"]) for event in self.events] + samples, default=0)


def load(run: StoredRun, *, brief: bool = False) -> RunContents:
    """All of it; in brief who it is, and the verdicts, and no table is read."""
    identity, strange = identity_of(run)
    problems = [*strange]
    if brief:
        return RunContents(identity, [], _verdicts(run, problems), {}, problems)
    verdicts = _verdicts(run, problems)
    asked = asked_of(verdicts)
    tables = {name: _table(run, name, asked, problems) for name in TABLES}
    return RunContents(
        identity=identity,
        events=_events(run, problems),
        verdicts=verdicts,
        tables={name: each.rows for name, each in tables.items()},
        problems=problems,
        excerpts={name: each for name, each in tables.items() if each.of > len(each.rows)},
        run=run,
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
    known = [event for event in events if is_event(event)]
    if len(known) < len(events):
        strange = next(event for event in events if not is_event(event))
        problems.append(
            f"{run.path / 'events.jsonl'}: {len(events) - len(known)} of {len(events)} lines are "
            f"not as we write them, and left out; the first is {strange!r:.200}"
        )
    return sorted(known, key=lambda event: int(event["at_ns"]))


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


def _table(run: StoredRun, name: str, asked: Asked, problems: list[str]) -> Excerpt:
    """All of it, or of a large one what a page is about."""
    try:
        if run.row_count(name) > MOST_ROWS:
            return excerpt(run, name, asked)
        whole = run.table(name)
    except RecordError as error:
        problems.append(str(error))
        whole = TABLES[name].empty_table()
    return Excerpt(whole, len(whole))
