"""A comparison of many scenarios by many releases: recorded runs, repeated under other names.

`python -m tests.bench.wide_comparisons RECORDED OUT [SCENARIOS RELEASES TRIALS]` writes one out of
a comparison that was played, draws it, opens it in Chromium, and prints what it weighs.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import cycle, islice
from pathlib import Path
from statistics import median
from typing import Any

from highwater.harness.record.reader import find_runs
from highwater.harness.versions.catalogue import every_kafka
from highwater.reports import write_report
from highwater.reports.cells import cells_under

Row = Mapping[str, Any]
OPENED = 9
LOADED_MS = "performance.getEntriesByType('navigation')[0].loadEventEnd"


def repeat(recorded: Path, out: Path, scenarios: int, releases: int, trials: int) -> Sequence[Row]:
    """Rows of compare.json; each trial is a directory of links to what was recorded."""
    content = json.loads((recorded / "compare.json").read_text(encoding="utf-8"))
    rows = [row for row in cells_under(content) if row["runs"]]
    kafkas = [kafka.name for kafka in every_kafka()][:releases]
    named = (
        {"scenario": f"scenario-{number:02}", "kafka": kafka}
        for number in range(scenarios)
        for kafka in kafkas
    )
    cells = [
        _cell(recorded, out, {**row, **name}, trials)
        for row, name in zip(cycle(rows), named, strict=False)
    ]
    (out / "compare.json").write_text(json.dumps({"schema": 1, "cells": cells}), encoding="utf-8")
    return cells


def _cell(recorded: Path, out: Path, row: Row, trials: int) -> dict[str, Any]:
    origins = islice(cycle(row["runs"]), trials)
    name = {each: row[each] for each in ("scenario", "kafka")}
    runs = [f"runs/{row['scenario']}/{row['kafka']}/{number}" for number in range(1, trials + 1)]
    for origin, run in zip(origins, runs, strict=True):
        _linked(recorded / origin, out / run, name)
    shown = {name: trials * bool(row[name]) for name in ("reproduced", "clean", "inconclusive")}
    return {
        **row,
        "control": None,
        "trials": trials,
        **shown,
        "seconds": list(islice(cycle(row["seconds"]), trials)),
        "runs": runs,
    }


def _linked(origin: Path, run: Path, named: Mapping[str, str]) -> None:
    run.mkdir(parents=True)
    for each in origin.iterdir():
        if each.name != "run.json":
            (run / each.name).symlink_to(each.resolve())
    identity = json.loads((origin / "run.json").read_text(encoding="utf-8"))
    (run / "run.json").write_text(json.dumps({**identity, **named}), encoding="utf-8")


def weighed(out: Path, cells: Sequence[Row]) -> Iterator[tuple[str, float]]:
    """Figures of its page."""
    runs = find_runs(out)
    began = time.monotonic()
    page = write_report(out, cells, runs)
    yield "cells", len(cells)
    yield "runs", len(runs)
    yield "draw_s", round(time.monotonic() - began, 1)
    yield "draw_mib", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    yield "page_mb", round(page.stat().st_size / 1e6, 2)
    yield from opened(page)


def opened(page: Path) -> Iterator[tuple[str, float]]:
    """Seconds in Chromium until it is there, of several times, and until a packed cell is."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - for whoever has a browser

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-gpu"]
        )
        times = []
        for _ in range(OPENED):
            shown = browser.new_page(viewport={"width": 1280, "height": 900})
            shown.goto(page.resolve().as_uri())
            times.append(round(shown.evaluate(LOADED_MS) / 1000, 2))
        yield "open_s_median", median(times)
        yield "open_s_most", max(times)
        packed = shown.locator("details.group[data-part]")
        if packed.count():
            last = shown.locator(f"[id='{packed.last.get_attribute('id')}']")
            began = time.monotonic()
            last.locator("summary").first.click()
            last.locator("details.run").first.wait_for()
            yield "unpack_s", round(time.monotonic() - began, 2)
        browser.close()


if __name__ == "__main__":
    made_of, into = Path(sys.argv[1]), Path(sys.argv[2])
    size = [int(each) for each in sys.argv[3:]] or [30, 80, 5]
    print(json.dumps(dict(weighed(into, repeat(made_of, into, *size))), indent=1))
