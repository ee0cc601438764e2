"""`report --history`: what suites and comparisons in a folder came to, from one to the next."""

from __future__ import annotations

import json
import math
import os
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from highwater import console
from highwater.circumstances import TOLD, circumstances
from highwater.harness.errors import RecordError, UsageError, in_words
from highwater.harness.record.reader import StoredRun, open_run
from highwater.measured import measured_to_its_end
from highwater.reports.cells import Cell, cells_under, read_cells
from highwater.reports.history import Result, Session, Subject, history
from highwater.reports.history_page import write_history_page
from highwater.reports.page import cell_id
from highwater.reports.suite import ORDER, SuiteTest, read_suite
from highwater.reports.suite_page import test_id
from highwater.reports.trials import relative_path

NAMES = ("suite.json", "compare.json")
RUN = "run.json"
Numbered = tuple[int, SuiteTest]


def report_history(folder: Path, *, as_json: bool) -> None:
    """Write `history.html` into a folder of reports, of all of them that can be read.

    Raises UsageError for what is no directory and cannot be written to, RecordError where no
    report lies below it.
    """
    if not folder.is_dir():
        raise UsageError(f"--history: expected a directory of reports, saw {folder}")
    problems: list[str] = []
    sessions = list(sessions_below(folder, problems))
    if not sessions:
        why = f": {problems[0]}" if problems else ", which pytest and compare write into a report"
        raise RecordError(f"{folder} holds no {' or '.join(NAMES)} that can be read{why}")
    try:
        page = write_history_page(folder, history(sessions), problems)
    except OSError as error:
        raise UsageError(f"{folder} cannot be written to: {error.strerror}") from error
    if as_json:
        console.print_json({"report": str(page)})
    else:
        console.out.print(str(page), soft_wrap=True)


def sessions_below(folder: Path, problems: list[str]) -> Iterator[Session]:
    """Each report below a folder; what cannot be read of them is said in `problems`."""
    for stored in _stored(folder):
        try:
            content = json.loads(stored.read_text(encoding="utf-8"))
            yield _session(folder, stored, content)
        except (ValueError, OSError, RecursionError, RecordError) as error:
            problems.append(f"{relative_path(stored, folder)} cannot be read: {in_words(error)}")


def _stored(folder: Path) -> Iterator[Path]:
    """Without looking into records, which may be many."""
    for place, below, names in os.walk(folder):
        found = [name for name in NAMES if name in names]
        yield from (Path(place, name) for name in found)
        below[:] = [] if found or RUN in names else sorted(below)


def _session(folder: Path, stored: Path, content: Any) -> Session:
    directory = stored.parent
    page = directory / "report.html"
    link = relative_path(page, folder) if page.exists() else ""
    if stored.name == NAMES[0]:
        results, runs = _of_suite(directory, content)
    else:
        results, runs = _of_cells(content)
    told = content if "started_at" in content else circumstances(_opened(directory, runs))
    return Session(
        name=relative_path(directory, folder),
        kind="test" if stored.name == NAMES[0] else "cell",
        page=link,
        started_at=str(told.get("started_at", "")),
        circumstances={name: str(told[name]) for name in TOLD if told.get(name)},
        results=results,
    )


def _opened(directory: Path, runs: Iterable[str | None]) -> Iterator[StoredRun]:
    paths = (directory / run for run in runs if run)
    return (open_run(path) for path in paths if (path / RUN).exists())


def _of_suite(
    directory: Path, content: Mapping[str, Any]
) -> tuple[Mapping[Subject, Result], Sequence[str | None]]:
    tests = read_suite(content).tests
    groups: dict[Subject, list[Numbered]] = {}
    for number, test in enumerate(tests, start=1):
        subject = Subject(_without_trial(test), test.kafka or "", test.backend or "")
        groups.setdefault(subject, []).append((number, test))
    results = {subject: _of_tests(directory, numbered) for subject, numbered in groups.items()}
    return results, [test.run for test in tests]


def _without_trial(test: SuiteTest) -> str:
    """The name that all its trials share."""
    before, found, after = test.test.rpartition(f"-trial{test.trial}")
    return before + after if found and after[:1] in ("]", "-") else test.test


def _of_tests(directory: Path, numbered: Sequence[Numbered]) -> Result:
    tests = [test for _, test in numbered]
    counts = {word: sum(test.outcome == word for test in tests) for word in ORDER}
    worst, first = min(numbered, key=lambda each: ORDER.index(each[1].outcome))
    return Result(
        outcomes={word: number for word, number in counts.items() if number},
        is_bad=first.is_bad,
        seconds=statistics.median(test.seconds for test in tests),
        reason=first.reason,
        place=test_id(worst, first),
        again=any(test.reruns for test in tests),
        measures=_medians([_measures(directory, test) for test in tests]),
    )


def _measures(directory: Path, test: SuiteTest) -> Mapping[str, float | None]:
    """As suite.json has them; those of an earlier version are in the record, if that is there."""
    if test.measures is not None:
        return test.measures
    return next((measured_to_its_end(run) for run in _opened(directory, [test.run])), {})


def _medians(trials: Sequence[Mapping[str, float | None]]) -> Mapping[str, float | None]:
    """What never came took longer than all that did."""
    names = dict.fromkeys(name for trial in trials for name in trial)
    told = {name: [trial[name] for trial in trials if name in trial] for name in names}
    medians = {
        name: statistics.median(math.inf if each is None else each for each in values)
        for name, values in told.items()
    }
    return {name: value if math.isfinite(value) else None for name, value in medians.items()}


def _of_cells(
    content: Mapping[str, Any],
) -> tuple[Mapping[Subject, Result], Sequence[str | None]]:
    cells = read_cells(cells_under(content))
    results = {
        Subject(cell.scenario, cell.column.label, cell.backend): _of_cell(cell) for cell in cells
    }
    return results, [run for cell in cells for run in cell.runs]


def _of_cell(cell: Cell) -> Result:
    counts = {
        "reproduced": cell.reproduced,
        "clean": cell.clean,
        "inconclusive": cell.inconclusive,
    }
    contrary = {"reproduced": "clean", "clean": "reproduced"}.get(cell.expected or "", "")
    ordered = sorted(counts, key=lambda word: word != contrary)
    told = {word: counts[word] for word in ordered if counts[word]} or {"inconclusive": 0}
    return Result(
        outcomes=told,
        is_bad=cell.unexpected,
        seconds=statistics.median(cell.seconds) if cell.seconds else 0.0,
        reason=f"{cell.expected} was expected" if cell.unexpected else "",
        place=cell_id(cell),
        measures={name: each["median"] for name, each in cell.measures.items()},
    )
