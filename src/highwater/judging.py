"""`check` and `report`: what can be done with a record when no broker is left."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.table import Table

from highwater import console
from highwater.cells import acked_records, ending
from highwater.checkers.hadoop import URI, place_at
from highwater.checkers.judge import judge
from highwater.checkers.second_opinion.opinions import disagreements
from highwater.checkers.session import stop_session
from highwater.harness.errors import RecordError, UsageError
from highwater.harness.model import Answer, Ending, Verdict
from highwater.harness.record.place import Place
from highwater.harness.record.reader import RunAt, StoredRun, find_runs
from highwater.harness.record.writer import write_verdicts
from highwater.reports.junit import write_junit
from highwater.reports.page import write_report


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
        console.err.print(f"the second opinion agrees on every verdict of {len(runs)} runs")
    return not lines


def report(directory: Path, *, as_json: bool) -> None:
    """Write the page again; a lone run gets a table of one cell.

    Raises UsageError for a place of Hadoop's, RecordError for what is no run.
    """
    if URI.match(str(directory)):
        raise UsageError(f"report draws runs of this machine; {directory} is elsewhere, copy it")
    runs = find_runs(directory)
    rows = _rows(directory, runs)
    page = write_report(directory, rows, runs)
    write_junit(directory, rows, runs)
    if as_json:
        console.print_json({"report": str(page)})
    else:
        console.out.print(str(page), soft_wrap=True)


def _rows(directory: Path, runs: Sequence[StoredRun]) -> list[Mapping[str, Any]]:
    stored = directory / "compare.json"
    if not stored.exists():
        return [_lone_row(directory, run) for run in runs]
    try:
        cells: list[Mapping[str, Any]] = json.loads(stored.read_text(encoding="utf-8"))["cells"]
    except (ValueError, KeyError, OSError) as error:
        raise RecordError(f"{stored} cannot be read: {error!r}") from error
    return cells


def _lone_row(directory: Path, run: StoredRun) -> dict[str, Any]:
    """A run as a cell of its own, as far as its record says what it was."""
    identity, verdicts = run.identity, run.verdicts()
    played = identity.get("played") or {}
    claims = identity.get("claims", [])
    shown = ending(claims, bool(played.get("complete")), verdicts)
    violated = [verdict for verdict in verdicts if verdict.answer is Answer.VIOLATED]
    allowed = {*claims, *identity.get("tolerates", {})}
    unexpected = sorted(verdict.claim for verdict in violated if verdict.claim not in allowed)
    return {
        "scenario": identity.get("scenario", run.name),
        "kafka": identity.get("kafka", "unknown"),
        "control": identity.get("control"),
        "backend": identity.get("backend", "unknown"),
        "trials": 1,
        **{each.value: int(each is shown) for each in Ending},
        "expected": identity.get("expected"),
        "as_expected": identity.get("expected") in {None, shown.value} and not unexpected,
        "claims": claims,
        "unexpected": unexpected,
        "acked": acked_records(run),
        "anomalies": {verdict.claim: verdict.anomalies for verdict in violated},
        "seconds": [played.get("seconds", 0.0)],
        "runs": [str(run.path.relative_to(directory))],
    }


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
