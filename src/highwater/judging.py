"""`check`: what can be said of a record when no broker is left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.table import Table

from highwater import console
from highwater.checkers.hadoop import place_at
from highwater.checkers.judge import judge
from highwater.checkers.second_opinion.opinions import disagreements
from highwater.checkers.session import stop_session
from highwater.harness.model import Answer, Verdict
from highwater.harness.record.place import Place
from highwater.harness.record.reader import RunAt, find_runs
from highwater.harness.record.writer import write_verdicts


def check(
    places: Sequence[str], claims: Sequence[str] | None, *, cross_check: bool, as_json: bool
) -> int:
    """Judge every run in these places; 1 when a claim is violated, 3 when none could be judged.

    Spark runs where HIGHWATER_SPARK_MASTER says. With `cross_check` it is 3 as well when the second
    opinion is another one.
    """
    try:
        found = [run for place in places for run in find_runs(place_at(place))]
        runs = list({run.path: run for run in found}.values())  # two places may hold the same one
        said = judge(runs, claims or None)
        for run in runs:
            if claims is None:
                write_verdicts(run.path, said[run.path])
        if as_json:
            console.print_json([_described(run, said[run.path]) for run in runs])
        else:
            for run in runs:
                console.out.print(_table(run, said[run.path]))
        if cross_check and not _agree(runs, said):
            return 3
    finally:
        stop_session()
    answers = {verdict.answer for verdicts in said.values() for verdict in verdicts}
    if Answer.VIOLATED in answers:
        return 1
    return 0 if Answer.HELD in answers else 3


def _agree(runs: Sequence[RunAt[Place]], said: Mapping[Place, Sequence[Verdict]]) -> bool:
    """Whether plain loops over the rows come to the same verdicts; tells where they do not."""
    lines = [f"{run.path}: {line}" for run in runs for line in disagreements(run, said[run.path])]
    for line in lines:
        console.err.print(f"not agreed on: {line}", markup=False, soft_wrap=True)
    if not lines:
        told = "the run" if len(runs) == 1 else f"{len(runs)} runs"
        console.err.print(f"the second opinion agrees on every verdict of {told}")
    return not lines


def _described(run: RunAt[Place], verdicts: Sequence[Verdict]) -> dict[str, Any]:
    return {
        "run": str(run.path),
        "verdicts": [
            {
                "claim": verdict.claim,
                "answer": verdict.answer.value,
                "considered": verdict.considered,
                "anomalies": verdict.anomalies,
                "reason": verdict.reason,
            }
            for verdict in verdicts
        ],
    }


def _table(run: RunAt[Place], verdicts: Sequence[Verdict]) -> Table:
    table = Table(title=str(run.path), title_justify="left")
    for name in ("claim", "answer", "considered", "anomalies", "reason"):
        table.add_column(name, overflow="fold")
    colours = {Answer.HELD: "green", Answer.VIOLATED: "red", Answer.UNKNOWN: "yellow"}
    for verdict in verdicts:
        colour = colours[verdict.answer]
        table.add_row(
            verdict.claim,
            f"[{colour}]{verdict.answer.value}[/]",
            str(verdict.considered),
            str(verdict.anomalies),
            verdict.reason,
        )
    return table
