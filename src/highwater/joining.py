"""Shards as one: suites, or comparisons, that several jobs have played, in one report.

Records stay where they are; the joined files name them by paths relative to themselves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from highwater.account import SUITE_SCHEMA
from highwater.circumstances import joined
from highwater.harness.errors import RecordError, UsageError
from highwater.harness.record.reader import open_run
from highwater.measured import measured_of, summary
from highwater.reports.suite import suite_in
from highwater.reports.trials import relative_path

Row = Mapping[str, Any]
Rows = Callable[[Path], Sequence[Row]]  # the cells of a directory, with runs relative to it
RESULTS = ("suite.json", "compare.json", "report.html")
CELL = ("scenario", "kafka", "control", "backend")
SUMS = ("trials", "reproduced", "clean", "inconclusive", "acked")


def refuse_used(out: Path) -> None:
    """Raises UsageError where a joined report would write over another one."""
    held = [name for name in RESULTS if (out / name).exists()]
    if held or (out.exists() and not out.is_dir()):
        what = f"already holds results ({held[0]})" if held else "is not a directory"
        raise UsageError(f"--out: expected a new directory, saw {out}, which {what}")


def are_suites(directories: Sequence[Path]) -> bool:
    """Whether to join suites of pytest; raises UsageError for some that are, and some that are not.

    A directory that holds neither suite.json nor compare.json is a shard of a comparison.
    """
    suites = [each for each in directories if (each / "suite.json").exists()]
    others = [each for each in directories if each not in suites]
    if suites and others:
        raise UsageError(
            f"expected suites of pytest only, or comparisons only, to join; saw suite.json in "
            f"{suites[0]} and none in {others[0]}"
        )
    return bool(suites)


def joined_suites(directories: Sequence[Path], out: Path) -> dict[str, Any]:
    """The content of a suite.json in `out`, of all tests of these suites.

    Raises RecordError for what is no suite, and UsageError for a test that several have played.
    """
    contents = [suite_in(directory) for directory in directories]
    tests: dict[str, Row] = {}
    played_in: dict[str, Path] = {}
    for directory, content in zip(directories, contents, strict=True):
        for test in content["tests"]:
            name = test["test"]
            if name in tests:
                raise UsageError(
                    f"expected each test in one of the suites, saw {name} in {played_in[name]} "
                    f"and in {directory}: two reports of it cannot be one"
                )
            run = test.get("run") and relative_path(directory / test["run"], out)
            tests[name], played_in[name] = {**test, "run": run}, directory
    left = [name for content in contents for name in content.get("not_run", ())]
    return {
        "schema": SUITE_SCHEMA,
        "tool": "",
        **joined(contents),
        "outcomes": _summed(contents, "outcomes"),
        "pytest": _summed(contents, "pytest"),
        "not_run": [name for name in dict.fromkeys(left) if name not in tests],
        **_attached(contents),
        "tests": list(tests.values()),
    }


def _attached(contents: Sequence[Row]) -> Row:
    """What was said of the cluster that was attached, where it was the same for all."""
    told = [content.get("attached") for content in contents]
    is_same = bool(told) and all(each == told[0] for each in told)
    return {"attached": told[0]} if is_same and told[0] else {}


def joined_cells(directories: Sequence[Path], out: Path, rows_of: Rows) -> list[Row]:
    """The cells of a compare.json in `out`; trials of one cell that several have played are added.

    Raises RecordError for what is no comparison, and where a cell was asked different things.
    """
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for directory in directories:
        for row in rows_of(directory):
            runs = [relative_path(directory / run, out) for run in row.get("runs", ())]
            key = tuple(row.get(name) for name in CELL)
            groups.setdefault(key, []).append({**row, "runs": runs})
    return [each[0] if len(each) == 1 else _added(each, out) for each in groups.values()]


def _added(rows: Sequence[Row], out: Path) -> Row:
    """One cell of several with trials of their own."""
    expected = {row.get("expected") for row in rows}
    runs = [run for row in rows for run in row["runs"]]
    named = f"{rows[0]['scenario']} on {rows[0]['kafka']}"
    if len(expected) > 1:
        raise RecordError(f"{named}: expected to be {' and '.join(map(str, expected))}")
    if len({*runs}) < len(runs):
        raise RecordError(f"{named}: the same trial stands in two of the directories")
    opened = [open_run(out / run) for run in runs if (out / run / "run.json").exists()]
    complete = [run for run in opened if (run.identity.get("played") or {}).get("complete")]
    anomalies: Counter[str] = Counter()
    for row in rows:
        anomalies.update(row.get("anomalies", {}))
    return {
        **rows[0],
        **{name: sum(row.get(name, 0) for row in rows) for name in SUMS},
        "as_expected": all(row.get("as_expected", True) for row in rows),
        "unexpected": sorted({claim for row in rows for claim in row.get("unexpected", ())}),
        "anomalies": dict(anomalies),
        "explained": next(filter(None, (row.get("explained", "") for row in rows)), ""),
        "not_promised": {k: v for row in rows for k, v in (row.get("not_promised") or {}).items()},
        "rewritten": _summed(rows, "rewritten"),
        "seconds": [each for row in rows for each in row.get("seconds", ())],
        "reasons": [each for row in rows for each in row.get("reasons", ())],
        "runs": runs,
        "measures": summary([measured_of(run) for run in complete]),
    }


def _summed(contents: Sequence[Mapping[str, Any]], name: str) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for content in contents:
        counts.update(content.get(name, {}))
    return dict(counts)
