"""Plays the KIP-101 scenarios 20 times on every Kafka, quiet and under load; writes the results.

`python -m tests.results [TRIALS]` rewrites docs/results.md from what was played.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from highwater.harness.versions.catalogue import every_kafka

SCENARIOS = ("kip101-loss-strict", "kip101-loss-no-crash", "kip101-divergence")
PAGE = Path(__file__).parents[1] / "docs" / "results.md"
BUSY_LOOPS = 2
INTRODUCTION = """# Results

Every scenario was played on every Kafka of the catalogue, on local processes, with the settings of
its file in `scenarios/`. A cell says in how many trials of how many the failure was reproduced, and
the median seconds per trial, with the start of clusters left out; `?` counts inconclusive trials.

This page is written by `make results`; a part of it is played again by the command it names.
"""


@contextmanager
def busy(loops: int) -> Iterator[None]:
    """So many processes that do nothing but use a core each."""
    command = [sys.executable, "-c", "while True: pass"]
    running = [subprocess.Popen(command) for _ in range(loops)]
    try:
        yield
    finally:
        for each in running:
            each.kill()
            each.wait()


def play(trials: int, out: Path) -> None:
    words = [word for name in SCENARIOS for word in ("-s", name)]
    words += [word for kafka in every_kafka() for word in ("-k", kafka.name)]
    command = [sys.executable, "-m", "highwater.cli", "compare", *words, "-n", str(trials)]
    subprocess.run([*command, "-o", str(out)], check=False)


def section(title: str, compared: Path) -> str:
    rows: Sequence[Mapping[str, Any]] = json.loads(compared.read_text())["cells"]
    played_on = datetime.fromtimestamp(compared.stat().st_mtime).astimezone().date()
    kafkas = list(dict.fromkeys(row["kafka"] for row in rows))
    lines = [f"## {title}", "", f"Played on {played_on}.", ""]
    lines += [f"| scenario | {' | '.join(kafkas)} |", "|---" * (len(kafkas) + 1) + "|"]
    for name in dict.fromkeys(row["scenario"] for row in rows):
        cells = {row["kafka"]: _cell(row) for row in rows if row["scenario"] == name}
        lines.append(f"| {name} | {' | '.join(cells[kafka] for kafka in kafkas)} |")
    surprises = [row for row in rows if not row["as_expected"]]
    lines += ["", f"Cells not as expected: {len(surprises)} of {len(rows)}."]
    return "\n".join(lines) + "\n"


def _cell(row: Mapping[str, Any]) -> str:
    median = sorted(row["seconds"])[len(row["seconds"]) // 2]
    unclear = f" ?{row['inconclusive']}" if row["inconclusive"] else ""
    return f"{row['reproduced']}/{row['trials']}{unclear} ({median:.1f} s)"


def main() -> None:
    trials = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    out = Path("highwater-runs") / datetime.now().astimezone().strftime("results-%Y%m%d-%H%M%S")
    play(trials, out / "quiet")
    with busy(BUSY_LOOPS):
        play(trials, out / "busy")
    write_page(out / "quiet" / "compare.json", out / "busy" / "compare.json")


def write_page(quiet: Path, loaded: Path) -> None:
    parts = [
        INTRODUCTION,
        section("Nothing beside it", quiet),
        section(f"With {BUSY_LOOPS} busy loops beside it", loaded),
    ]
    PAGE.write_text("\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    main()
