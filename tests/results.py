"""Plays the KIP-101 scenarios 20 times on every Kafka, quiet and under load; writes the results.

`python -m tests.results [TRIALS]` plays and rewrites docs/results.md;
`python -m tests.results --page QUIET/compare.json BUSY/compare.json` only rewrites it.
"""

from __future__ import annotations

import json
import statistics
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
BENCH = PAGE.with_name("bench.json")
INTRODUCTION = """# Results

Written by `make results` (and `make bench` for the last part) on a machine with two cores; nothing
here is typed by hand. Brokers are local processes, settings are those of each scenario's file. A
cell says in how many trials of how many the failure was reproduced, and the median seconds per
trial, the start of clusters left out; `?n` would count inconclusive trials. What it plays:

```console
{command}
```
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


def arguments(trials: int) -> list[str]:
    words = [word for name in SCENARIOS for word in ("-s", name)]
    words += [word for kafka in every_kafka() for word in ("-k", kafka.name)]
    return ["compare", *words, "-n", str(trials)]


def play(trials: int, out: Path) -> None:
    command = [sys.executable, "-m", "highwater.cli", *arguments(trials)]
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


def bench_section(measured: Mapping[str, Any]) -> str:
    """What the last `make bench` measured; ratios are within that one run."""
    lines = ["## Benchmarks", "", "Medians of `make bench`; all figures are in `bench.json`.", ""]
    lines += ["| Kafka | three brokers ready, plain | bare | whole cluster | without archive |"]
    lines[-1] += " bare to plain | idle MiB per broker | kip101-loss-no-crash, s/trial |"
    lines += ["|---" * 8 + "|"]
    for name, one in measured["startup"].items():
        medians = [f"{statistics.median(taken):.1f} s" for taken in one["seconds"].values()]
        trial = measured["trial_seconds"][name]["median"]
        idle = max(one["idle_mib_per_broker"])
        lines += [f"| {' | '.join([name, *medians])} | {one['bare_to_plain']} | {idle} | {trial} |"]
    gate, recorded = measured["gate_throughput"], measured["recorded_throughput"]
    lines += [
        "",
        "Plain is a careful script's start with the same settings and archive, without gate or",
        "recording; bare is ours without the gate and the controller's own broker.",
        "",
        f"- acks=all throughput through the gate, against past it: {gate['gated_to_direct']}",
        f"- recorded workload against a bare producer loop: {recorded['recorded_to_bare']}",
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    if sys.argv[1:2] == ["--page"]:
        write_page(*map(Path, sys.argv[2:4]))
        return
    trials = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    out = Path("highwater-runs") / datetime.now().astimezone().strftime("results-%Y%m%d-%H%M%S")
    play(trials, out / "quiet")
    with busy(BUSY_LOOPS):
        play(trials, out / "busy")
    write_page(out / "quiet" / "compare.json", out / "busy" / "compare.json")


def write_page(quiet: Path, loaded: Path) -> None:
    trials = json.loads(quiet.read_text())["cells"][0]["trials"]
    parts = [
        INTRODUCTION.format(command="highwater " + " ".join(arguments(trials))),
        section("Nothing beside it", quiet),
        section(f"With {BUSY_LOOPS} busy loops beside it", loaded),
    ]
    if BENCH.exists():
        parts.append(bench_section(json.loads(BENCH.read_text())))
    PAGE.write_text("\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    main()
