"""Judges many run directories in one pass: every claim is one query over all of them.

Spark's cost is in the number of queries, not of rows, so all claims are put together into one.
Where that fails they are asked one by one, and then run by run: whatever breaks, it makes unknown
only the claim and the run that it belongs to.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Sequence
from functools import reduce
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from highwater.checkers import catalogue
from highwater.checkers.claim import Claim
from highwater.checkers.evidence import name_relations
from highwater.checkers.inputs import Inputs, loaded
from highwater.checkers.session import session
from highwater.checkers.verdicts import Found, unknown, verdict
from highwater.harness.model import Verdict
from highwater.harness.record.reader import StoredRun

WITNESSES_KEPT = 100

# The relations that queries name belong to the one session.
_one_at_a_time = threading.Lock()

# By the claim's name, and the index of the run.
Findings = dict[tuple[str, int], Found]

# Both arguments of min_by: the witnesses that are kept, and their order.
_SUMMARY = """
SELECT '{name}' AS claim, run, finding, count(*) AS total,
    transform(min_by(shown, shown, {kept}) FILTER (WHERE finding = 'anomaly'),
        witness -> to_json(witness, map('ignoreNullFields', 'false'))) AS witnesses
FROM (SELECT run, finding, struct(* EXCEPT (run, finding)) AS shown FROM ({query}))
GROUP BY run, finding"""


def judge(
    runs: Sequence[StoredRun], claims: Sequence[str] | None = None
) -> dict[Path, list[Verdict]]:
    """The verdicts on each run, in the order of `claims` (all of them by default).

    Raises UsageError for a claim that does not exist, InfrastructureError where Spark cannot run.
    """
    return judge_claims(runs, catalogue.chosen(claims))


def judge_claims(runs: Sequence[StoredRun], claims: Sequence[Claim]) -> dict[Path, list[Verdict]]:
    """The same for claims that need not be in the catalogue."""
    spark = session()
    with _one_at_a_time, loaded(spark, runs) as inputs:
        findings = _find(spark, inputs, claims, range(len(runs)))
    return {
        run.path: [_verdict(inputs, claim, index, findings) for claim in claims]
        for index, run in enumerate(runs)
    }


def warm_up(spark: SparkSession) -> None:
    """Judge nothing: most of the first judgement's time goes into loading Spark's classes."""
    with _one_at_a_time, loaded(spark, []) as inputs:
        _ask(spark, inputs, catalogue.claims(), [])


def _find(
    spark: SparkSession, inputs: Inputs, claims: Sequence[Claim], runs: Sequence[int]
) -> Findings:
    try:
        return _ask(spark, inputs, claims, runs)
    except Exception as error:  # noqa: BLE001 - whatever a query raises breaks its own claim only
        if len(claims) == len(runs) == 1:
            return {(claims[0].name, runs[0]): Found(broken=_told(error))}
    apart = (
        [_find(spark, inputs, [claim], runs) for claim in claims]
        if len(claims) > 1
        else [_find(spark, inputs, claims, [run]) for run in runs]
    )
    return {place: found for findings in apart for place, found in findings.items()}


def _ask(
    spark: SparkSession, inputs: Inputs, claims: Sequence[Claim], runs: Sequence[int]
) -> Findings:
    tables = inputs.tables
    if len(runs) == 1:
        tables = {name: frame.where(f"run = {runs[0]}") for name, frame in tables.items()}
    name_relations(spark, tables)
    summaries = [
        spark.sql(_SUMMARY.format(name=claim.name, query=claim.query, kept=WITNESSES_KEPT))
        for claim in claims
    ]
    findings: Findings = defaultdict(Found)
    if summaries:
        for row in reduce(DataFrame.unionAll, summaries).collect():
            findings[row.claim, row.run].add(row.finding, row.total, row.witnesses or ())
    return findings


def _verdict(inputs: Inputs, claim: Claim, run: int, findings: Findings) -> Verdict:
    for table in (*claim.needs, *claim.uses):
        if (run, table) in inputs.unreadable:
            return unknown(claim.name, inputs.unreadable[run, table])
    for table in claim.needs:
        if (run, table) in inputs.empty:
            return unknown(claim.name, f"the record has no {table}")
    return verdict(claim, findings.get((claim.name, run), Found()))


def _told(error: Exception) -> str:
    first_line = next(iter(str(error).strip().splitlines()), "")
    return f"the checker broke: {type(error).__name__}: {first_line}"
