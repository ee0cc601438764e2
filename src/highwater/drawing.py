"""`report`: the page of what was recorded, drawn again."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from highwater import console
from highwater.cells import acked_records
from highwater.checkers.hadoop import URI
from highwater.harness.errors import RecordError, UsageError, in_words
from highwater.harness.model import Answer, Ending
from highwater.harness.record.files import write_text
from highwater.harness.record.reader import StoredRun, find_runs
from highwater.metrics import write_metrics
from highwater.reports.cells import cells_under, read_cells
from highwater.reports.identities import identity_of
from highwater.reports.junit import write_junit
from highwater.reports.page import picture, write_report
from highwater.reports.summary import write_summary
from highwater.reports.trials import judged
from highwater.suites import draw_suite


def report(directory: Path, *, as_json: bool) -> None:
    """Write the page again; a lone run gets a table of one cell.

    Raises UsageError for a place of Hadoop's and for what is no directory, RecordError for one that
    holds no run.
    """
    if URI.match(str(directory)):
        raise UsageError(f"report draws runs of this machine; {directory} is elsewhere, copy it")
    _require_directory(directory)
    suite = directory / "suite.json"
    page = draw_suite(directory) if suite.exists() else _draw_cells(directory)
    if as_json:
        console.print_json({"report": str(page)})
    else:
        console.out.print(str(page), soft_wrap=True)


def ladder(directory: Path, svg: Path, page: str, *, as_json: bool) -> None:
    """Write the picture of a comparison's cells into a file of its own.

    Raises RecordError for what is no comparison, or has too few releases; UsageError for what is no
    directory, and where the picture cannot be written.
    """
    _require_directory(directory)
    if not (directory / "compare.json").exists():
        raise RecordError(f"{directory} holds no compare.json, which compare and matrix write")
    drawn = picture(read_cells(_rows(directory, ())), page)
    try:
        write_text(svg, drawn)
    except OSError as error:
        raise UsageError(f"{svg} cannot be written: {error.strerror}") from error
    if as_json:
        console.print_json({"svg": str(svg)})
    else:
        console.out.print(str(svg), soft_wrap=True)


def _require_directory(directory: Path) -> None:
    if not directory.is_dir():
        there = directory.exists()
        raise UsageError(f"{directory} is not a directory" if there else f"there is no {directory}")


def _draw_cells(directory: Path) -> Path:
    runs = find_runs(directory)
    rows = _rows(directory, runs)
    write_junit(directory, rows, runs)
    write_summary(directory, rows)
    write_metrics(directory, rows, runs)
    return write_report(directory, rows, runs)


def _rows(directory: Path, runs: Sequence[StoredRun]) -> list[Mapping[str, Any]]:
    stored = directory / "compare.json"
    if not stored.exists():
        return [_lone_row(directory, run) for run in runs]
    try:
        content = json.loads(stored.read_text(encoding="utf-8"))
        cells: list[Mapping[str, Any]] = cells_under(content)
        read_cells(cells)
    except (ValueError, OSError, RecursionError, RecordError) as error:
        raise RecordError(f"{stored} cannot be read: {in_words(error)}") from error
    return cells


def _lone_row(directory: Path, run: StoredRun) -> dict[str, Any]:
    """A run as a cell of its own, as far as its record says what it was."""
    (identity, _), verdicts = identity_of(run), run.verdicts()  # the page tells what is left out
    played = identity.get("played") or {}
    claims = identity.get("claims", [])
    shown = judged(identity, verdicts).ending
    violated = [verdict for verdict in verdicts if verdict.answer is Answer.VIOLATED]
    allowed = {*claims, *identity.get("tolerates", {})}
    unexpected = sorted(
        verdict.claim for verdict in violated if claims and verdict.claim not in allowed
    )
    return {
        "scenario": identity.get("scenario") or identity.get("test") or run.name,
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
