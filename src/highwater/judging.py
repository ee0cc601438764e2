"""`check`: what can be said of a record when no broker is left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from rich.markup import escape
from rich.table import Table

from highwater import console
from highwater.achieved import (
    fault_lines_of,
    group_lines_of,
    lag_lines_of,
    lines_of,
    of_groups,
    of_topics,
    whole,
)
from highwater.checkers import catalogue
from highwater.checkers.hadoop import place_at
from highwater.checkers.judge import Judgement, judge_claims
from highwater.checkers.second_opinion.opinions import disagreements
from highwater.checkers.session import stop_session
from highwater.harness.errors import RecordError
from highwater.harness.measurements import LAGS, MEASURES, REBALANCES, RECOVERIES
from highwater.harness.model import Answer
from highwater.harness.record.journal import salvage
from highwater.harness.record.place import Place
from highwater.harness.record.reader import RunAt, open_run, run_directories
from highwater.harness.record.writer import write_measures, write_verdicts

HELD, VIOLATED, INCONCLUSIVE = 0, 1, 3


@dataclass(slots=True)
class Found:
    """What there is to judge, each run once, and by place why others cannot be opened."""

    runs: dict[Place, RunAt[Place]] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)


def check(
    places: Sequence[str], claims: Sequence[str] | None, *, cross_check: bool, as_json: bool
) -> int:
    """Judge every run in these places; the exit code, as docs/ledger.md has it.

    Spark runs where HIGHWATER_SPARK_MASTER says. Raises UsageError for a claim that does not exist,
    RecordError where there is no run to judge.
    """
    try:
        chosen = catalogue.chosen(claims or None)
        found = _find(places)
        runs = list(found.runs.values())
        said = judge_claims(runs, chosen)
        unwritten = [] if claims else _unwritten(runs, said)
        if claims:  # what clients achieved is measured where all claims are judged
            nothing = {
                "measures": MEASURES.empty_table(), "recoveries": RECOVERIES.empty_table(),
                "rebalances": REBALANCES.empty_table(), "lags": LAGS.empty_table(),
            }  # fmt: skip
            said = {path: replace(each, **nothing) for path, each in said.items()}
        _show(runs, said, found.refused, as_json=as_json)
        for told in (*found.refused.values(), *unwritten):
            _complain(told)
        agreed = not cross_check or _agree(runs, said)
    finally:
        stop_session()
    damaged = any(each.unreadable for each in said.values())
    doubtful = found.refused or unwritten or damaged
    return _code(said, doubtful=bool(doubtful), agreed=agreed)


def _code(said: Mapping[Place, Judgement], *, doubtful: bool, agreed: bool) -> int:
    answers = {verdict.answer for each in said.values() for verdict in each.verdicts}
    if not agreed:
        return INCONCLUSIVE
    if Answer.VIOLATED in answers:
        return VIOLATED
    return HELD if Answer.HELD in answers and not doubtful else INCONCLUSIVE


def _find(places: Sequence[str]) -> Found:
    found = Found()
    for where in places:
        try:
            directories = run_directories(place_at(where))
        except (RecordError, OSError) as error:
            found.refused[where] = str(error)
            continue
        for directory in directories:
            try:
                if isinstance(directory, Path):
                    salvage(directory)
                found.runs[directory] = open_run(directory)
            except (RecordError, OSError) as error:
                found.refused[str(directory)] = str(error)
    if not found.runs:
        raise RecordError("; ".join(found.refused.values()))
    return found


def _unwritten(runs: Sequence[RunAt[Place]], said: Mapping[Place, Judgement]) -> list[str]:
    """Put the verdicts beside the runs; why that cannot be done for some."""
    failed = []
    for run in runs:
        try:
            judged = said[run.path]
            tables = judged.measures, judged.recoveries, judged.rebalances, judged.lags
            write_measures(run.path, *tables)
            write_verdicts(run.path, judged.verdicts)
        except (RecordError, OSError) as error:
            failed.append(f"cannot write the verdicts into {run.path}: {error}")
    return failed


def _agree(runs: Sequence[RunAt[Place]], said: Mapping[Place, Judgement]) -> bool:
    """Whether plain loops over the rows come to the same verdicts; tells where they do not."""
    lines = [f"{run.path}: {line}" for run in runs for line in _differing(run, said[run.path])]
    for line in lines:
        _complain(f"not agreed on: {line}")
    if not lines:
        told = "the run" if len(runs) == 1 else f"{len(runs)} runs"
        console.err.print(f"the second opinion agrees on every verdict of {told}")
    return not lines


def _differing(run: RunAt[Place], said: Judgement) -> list[str]:
    try:
        return disagreements(run, said.verdicts)
    except Exception as error:  # noqa: BLE001 - what breaks on one run is asked of the others
        return [f"the second opinion broke: {type(error).__name__}: {error}"]


def _show(
    runs: Sequence[RunAt[Place]],
    said: Mapping[Place, Judgement],
    refused: Mapping[str, str],
    *,
    as_json: bool,
) -> None:
    if as_json:
        opened = [_described(run, said[run.path]) for run in runs]
        others = [{"run": at, "unreadable": {"run.json": why}, "verdicts": []}
                  for at, why in refused.items()]  # fmt: skip
        console.print_json([*opened, *others])
    else:
        for run in runs:
            judged = said[run.path]
            console.out.print(_table(run, judged))
            for line in (
                *_lies(run),
                *lines_of(judged.measures),
                *fault_lines_of(judged.recoveries),
                *group_lines_of(judged.rebalances),
                *lag_lines_of(judged.lags),
            ):
                console.out.print(console.printable(line), markup=False, highlight=False)


def _rewritten(run: RunAt[Place]) -> Mapping[str, int]:
    """Answers of brokers that were replaced after the deed; RecordError where nobody can tell."""
    from highwater.reports.rewritten import rewritten_of  # noqa: PLC0415 - loads the pages

    return rewritten_of(run.identity, run.events)


def _lies(run: RunAt[Place]) -> list[str]:
    from highwater.reports.rewritten import LIES, sentences  # noqa: PLC0415 - loads the pages

    try:
        return [f"{LIES} {each}." for each in sentences(_rewritten(run))]
    except (RecordError, OSError) as error:
        return [f"Nobody can tell whether brokers were made to lie: {error}"]


def _counted_lies(run: RunAt[Place]) -> Mapping[str, int] | None:
    try:
        return _rewritten(run)
    except (RecordError, OSError):
        return None


def _complain(text: str) -> None:
    console.err.print(console.printable(text), markup=False, soft_wrap=True)


def _described(run: RunAt[Place], said: Judgement) -> dict[str, Any]:
    return {
        "run": str(run.path),
        "unreadable": dict(said.unreadable),
        "rewritten": _counted_lies(run),
        "verdicts": [
            {
                "claim": verdict.claim,
                "answer": verdict.answer.value,
                "considered": verdict.considered,
                "anomalies": verdict.anomalies,
                "reason": verdict.reason,
            }
            for verdict in said.verdicts
        ],
        "measures": whole(said.measures),
        "recoveries": of_topics(said.recoveries),
        "rebalances": said.rebalances.to_pylist(),
        "lags": of_groups(said.lags),
    }


def _table(run: RunAt[Place], said: Judgement) -> Table:
    unreadable = [f"{name} cannot be judged: {why}" for name, why in said.unreadable.items()]
    table = Table(
        title=escape(console.printable(str(run.path))),
        title_justify="left",
        caption=escape(console.printable("\n".join(unreadable))) or None,
        caption_justify="left",
    )
    for name in ("claim", "answer", "considered", "anomalies", "reason"):
        table.add_column(name, overflow="fold")
    colours = {Answer.HELD: "green", Answer.VIOLATED: "red", Answer.UNKNOWN: "yellow"}
    for verdict in said.verdicts:
        colour = colours[verdict.answer]
        table.add_row(
            verdict.claim,
            f"[{colour}]{verdict.answer.value}[/]",
            str(verdict.considered),
            str(verdict.anomalies),
            escape(console.printable(verdict.reason)),
        )
    return table
