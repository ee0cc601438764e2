"""`report`: the page of what was recorded, drawn again, or of several shards as one."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from highwater import console
from highwater.cells import acked_records
from highwater.checkers.hadoop import URI
from highwater.circumstances import circumstances
from highwater.harness.errors import HighwaterError, RecordError, UsageError, in_words
from highwater.harness.model import Answer, Ending
from highwater.harness.record.files import write_json, write_text
from highwater.harness.record.reader import StoredRun, find_runs, open_run
from highwater.joining import are_suites, joined_cells, joined_suites, refuse_used
from highwater.metrics import write_metrics
from highwater.reports.cells import COMPARE_SCHEMA, cells_under, read_cells
from highwater.reports.identities import identity_of
from highwater.reports.junit import write_junit
from highwater.reports.page import picture, write_report
from highwater.reports.summary import write_summary
from highwater.reports.trials import judged
from highwater.suites import draw_suite, write_suite


def report(directories: Sequence[Path], out: Path | None, *, as_json: bool) -> None:
    """Write the page again, or one of several directories into `out`.

    A lone run gets a table of one cell. Raises UsageError for a place of Hadoop's, for what is no
    directory and for several without a new one to write to, RecordError for one without a run.
    """
    for directory in directories:
        if URI.match(str(directory)):
            raise UsageError(
                f"report draws runs of this machine; {directory} is elsewhere, copy it"
            )
        _require_directory(directory)
    try:
        page = (
            _drawn(directories[0]) if len(directories) == 1 and not out else _join(directories, out)
        )
    except HighwaterError:
        raise
    except (OSError, RuntimeError) as error:  # a loop of links is a RuntimeError of pathlib's
        raise UsageError(
            f"expected to write a report into {out or directories[0]}, and could not: {error}"
        ) from error
    if as_json:
        console.print_json({"report": str(page)})
    else:
        console.out.print(str(page), soft_wrap=True)


def _drawn(directory: Path) -> Path:
    suite = directory / "suite.json"
    return draw_suite(directory) if suite.exists() else _draw_cells(directory, _stored(directory))


def _join(directories: Sequence[Path], out: Path | None) -> Path:
    """One report of several directories."""
    if out is None:
        raise UsageError(
            f"{len(directories)} directories are joined into a new one: say which by --out DIR"
        )
    refuse_used(out)
    if are_suites(directories):
        return write_suite(out, joined_suites(directories, out))
    cells = joined_cells(directories, out, lambda each: _rows(each, _stored(each)))
    out.mkdir(parents=True, exist_ok=True)
    stored = out / "compare.json"
    write_json(stored, {"schema": COMPARE_SCHEMA, "cells": cells})
    runs = _stored(out)
    write_json(stored, {"schema": COMPARE_SCHEMA, **circumstances(runs), "cells": cells})
    return _draw_cells(out, runs)


def _stored(directory: Path) -> list[StoredRun]:
    """The runs below a directory, and those elsewhere that its compare.json names."""
    if not (directory / "compare.json").exists():
        return find_runs(directory)
    named = [directory / run for row in _rows(directory, ()) for run in row.get("runs", ())]
    elsewhere = [each for each in named if not each.resolve().is_relative_to(directory.resolve())]
    opened = [open_run(each) for each in elsewhere if (each / "run.json").exists()]
    return opened or find_runs(directory)


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


def _draw_cells(directory: Path, runs: Sequence[StoredRun]) -> Path:
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
