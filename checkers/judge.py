"""Judges runs on Spark: small ones side by side, a task each; a large one in parts.

See `tasks` for what is done there, and ADR 17 for why rows travel as packed columns and not as
Spark's own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa

from highwater.checkers import catalogue, tasks
from highwater.checkers.aftermath import recoveries_of
from highwater.checkers.claim import Claim
from highwater.checkers.delivery import collected, delivered
from highwater.checkers.fates import fates_of
from highwater.checkers.inputs import Input, grouped, look_at
from highwater.checkers.lags import lags_of
from highwater.checkers.layout import TABLES as LAID_OUT
from highwater.checkers.measures import measures_of
from highwater.checkers.reading import AT_ONCE_ROWS, Pieces
from highwater.checkers.rebalances import rebalances_of
from highwater.checkers.recovery import CLAIM as STALLS
from highwater.checkers.recovery import faults_of, recoveries
from highwater.checkers.session import spark_errors_in_words, start_session
from highwater.checkers.tallies import Tallies
from highwater.checkers.tasks import NOTES, SURVEYED, Judged, look_for_all
from highwater.checkers.traces import explain, readable
from highwater.checkers.verdicts import unknown, verdict
from highwater.checkers.whereabouts import tell, wanted
from highwater.harness.errors import RecordError
from highwater.harness.measurements import LAGS, MEASURES, REBALANCES, RECOVERIES
from highwater.harness.model import Verdict
from highwater.harness.record.reader import PlaceT, RunAt
from highwater.harness.record.writer import write_measures, write_verdicts

if TYPE_CHECKING:
    from pyspark import RDD, SparkContext

WHOLE_ROWS = 1_000_000  # of all tables together; a run that has more is judged in parts
PART_ROWS = 1_000_000
TIMELINE = "events.jsonl"
# A lag that only a part of these has shown may have been larger, or none.
LAGS_NEED = {"history", "replica_states", "commits", "assignments"}


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdicts on a run, what its clients achieved, and what cannot be read, by name, and why.

    What cannot be read is a table, or the timeline. `measures` has the columns of MEASURES, and
    `recoveries` those of RECOVERIES: how the partitions recovered from each fault. `rebalances` has
    those of REBALANCES: how long partitions of groups had no owner. `lags` has those of LAGS: how
    far groups lagged behind.
    """

    verdicts: list[Verdict]
    unreadable: Mapping[str, str]
    measures: pa.Table
    recoveries: pa.Table
    rebalances: pa.Table
    lags: pa.Table


def judge(
    runs: Sequence[RunAt[PlaceT]], claims: Sequence[str] | None = None
) -> dict[PlaceT, list[Verdict]]:
    """The verdicts on each run, in the order of `claims` (all of them by default).

    Raises UsageError for a claim that does not exist, InfrastructureError where Spark cannot run.
    """
    judged = judge_claims(runs, catalogue.chosen(claims))
    return {path: each.verdicts for path, each in judged.items()}


def judge_beside(runs: Sequence[RunAt[PlaceT]]) -> dict[PlaceT, list[Verdict]]:
    """The same by all claims, and all that is found is put beside the runs."""
    judged = judge_claims(runs, catalogue.claims())
    for path, each in judged.items():
        write_measures(path, each.measures, each.recoveries, each.rebalances, each.lags)
        write_verdicts(path, each.verdicts)  # last: by them a run is known to be judged
    return {path: each.verdicts for path, each in judged.items()}


def judge_claims(runs: Sequence[RunAt[PlaceT]], claims: Sequence[Claim]) -> dict[PlaceT, Judgement]:
    """The same, with more about each run, for claims that need not be in the catalogue."""
    starting = start_session(warm=False)
    inputs = [look_at(run) for run in runs]
    with spark_errors_in_words():
        judged = _judge(starting.result(), inputs, claims)
    for index, run in enumerate(runs):
        _explain(run, judged[index])
    return {
        run.path: _judgement(inputs[index], claims, judged[index]) for index, run in enumerate(runs)
    }


def _explain(run: RunAt[PlaceT], judged: Judged) -> None:
    """From the timeline, as far as there is one: it explains, and is no evidence."""
    try:
        events = readable(run.events())
        explain(judged.findings, events)
        stalls = judged.findings[STALLS]
        judged.faults, judged.fates = faults_of(events), fates_of(events)
        told = recoveries(judged.progress, judged.faults)
        stalls.remark = "; ".join(filter(None, [stalls.remark, told]))
    except (RecordError, OSError) as error:
        judged.unreadable[TIMELINE] = str(error)
    except Exception as error:  # noqa: BLE001 - anybody may have written it, and anything
        judged.unreadable[TIMELINE] = tasks.failure_in_words(error)


def _judge(
    spark: SparkContext, inputs: Sequence[Input], claims: Sequence[Claim]
) -> dict[int, Judged]:
    small = [index for index, one in enumerate(inputs) if one.rows <= WHOLE_ROWS]
    judged = dict(
        zip(small, _judge_small(spark, [inputs[at] for at in small], claims), strict=True)
    )
    for index, one in enumerate(inputs):
        if index not in judged:
            try:
                with spark_errors_in_words():
                    judged[index] = _judge_large(spark, one, claims)
            except Exception as error:  # noqa: BLE001 - whatever breaks, breaks this run only
                judged[index] = Judged(broken=tasks.failure_in_words(error))
    return judged


def warm_up(spark: SparkContext) -> None:
    """Judge nothing: most of the first judgement's time goes into starting Python and loading."""
    claims, count = catalogue.claims(), spark.defaultParallelism
    spark.parallelize(range(count), count).map(lambda _: tasks.judge_whole({}, claims)).count()


def _judge_small(
    spark: SparkContext, inputs: Sequence[Input], claims: Sequence[Claim]
) -> list[Judged]:
    if not inputs:
        return []
    slices = min(len(inputs), 4 * spark.defaultParallelism)
    runs = delivered(spark, [one.pieces for one in inputs], slices)
    return runs.map(lambda pieces: tasks.judge_whole(pieces, claims)).collect()


def _judge_large(spark: SparkContext, one: Input, claims: Sequence[Claim]) -> Judged:
    judged = Judged()
    few = {table: pieces for table, pieces in one.pieces.items() if table not in SURVEYED}
    small = collected(spark, few)
    facts = tasks.facts_of(judged, small)
    count = -(-one.rows // PART_ROWS)
    asked = [kind for kind in LAID_OUT if any(claim.part is kind for claim in claims)]
    kinds = {NOTES + 1 + number * count: kind for number, kind in enumerate(asked)}
    spread = _sliced(spark, one, SURVEYED).flatMap(lambda some: tasks.spread(some, kinds, count))
    parts = spread.partitionBy(NOTES + 1 + count * len(kinds), int)
    # Spark spreads all rows for the first of these jobs, and the second finds them spread.
    for surveyed, unreadable in spark.runJob(parts, tasks.notes, [NOTES]):
        facts.take_in(surveyed)
        judged.unreadable.update(unreadable)
    facts.finish()
    known = spark.broadcast(facts)
    asking = [claim for claim in claims if claim.part in asked]  # others need not load there
    found = parts.mapPartitions(lambda part: [tasks.judge_parts(part, asking, kinds, known.value)])
    for each in found.collect():
        judged.take_in(each)
    known.destroy()
    tasks.finish(judged, small, claims, facts)
    places = wanted(judged.findings, facts)
    if places:
        logs = _sliced(spark, one, ["replica_logs"])
        found_there = logs.map(lambda some: look_for_all(places, some)).collect()
        tell(judged.findings, found_there, facts)
    return judged


def _sliced(spark: SparkContext, one: Input, tables: Iterable[str]) -> RDD[Pieces]:
    """A Spark partition for each group of pieces, which are of one table."""
    groups = [
        {table: group}
        for table in tables
        for group in grouped(one.pieces.get(table, ()), AT_ONCE_ROWS)
    ]
    return delivered(spark, groups, max(1, len(groups)))


def _judgement(one: Input, claims: Sequence[Claim], judged: Judged) -> Judgement:
    unreadable = {**judged.unreadable, **one.unreadable}
    verdicts = [_verdict(one, claim, judged, unreadable) for claim in claims]
    # Of a history that cannot be read some may have been, before that was known.
    tallies = Tallies() if "history" in unreadable else judged.tallies
    followed = () if LAGS_NEED & unreadable.keys() else judged.followed
    making: dict[str, tuple[pa.Schema, Callable[[], pa.Table]]] = {
        "measures": (MEASURES, lambda: measures_of(tallies, judged.fates.unacked_since)),
        "recoveries": (RECOVERIES, lambda: recoveries_of(judged.faults, tallies, judged.states)),
        "rebalances": (REBALANCES, lambda: rebalances_of(judged.told, judged.fates)),
        "lags": (LAGS, lambda: lags_of(followed, judged.heights, judged.told, judged.fates)),
    }
    measured = {}
    for name, (schema, made) in making.items():
        measured[name] = schema.empty_table()
        try:
            measured[name] = made()
        except Exception as error:  # noqa: BLE001 - it takes no verdict along
            unreadable[name] = tasks.failure_in_words(error)
    return Judgement(verdicts, unreadable, **measured)


def _verdict(one: Input, claim: Claim, judged: Judged, unreadable: Mapping[str, str]) -> Verdict:
    for table in (*claim.needs, *claim.uses):
        if table in unreadable:
            return unknown(claim.name, unreadable[table])
    for table in claim.needs:
        if table not in one.pieces:
            why = f": {told}" if isinstance(told := one.unrecorded.get(table), str) else ""
            return unknown(claim.name, f"the record has no {table}{why}")
    if judged.broken:
        return unknown(claim.name, judged.broken)
    return verdict(claim, judged.findings[claim.name])
