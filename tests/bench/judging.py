"""How long judging a history takes, and how much memory: ours, DuckDB's and pandas', side by side.

`python -m tests.bench.judging [RECORDS ...]` writes a JSON object (`--short`: of one small record);
every engine is a process of its own, its start included, and all of them have to give the same
answers. What has more records than
another engine has memory for is judged by ours alone. `warm` is a small run in a
process that has judged before, as between the trials of a comparison.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.bench.long_records import write_long_record
from tests.bench.other_engines import ENGINES, MOST_RECORDS

from highwater.checkers.judge import judge
from highwater.harness.record.reader import open_run

SMALL, TIMES = 49_000, 9
SIZES = (1_000_000, 10_000_000, 22_000_000)
CLOCK_TICKS = os.sysconf("SC_CLK_TCK")
INTERVAL_S = 0.5  # a look at the memory of large processes stops them meanwhile


def measure(command: list[str]) -> tuple[str, dict[str, float]]:
    """What a command prints, its wall and CPU seconds, and the most memory of all its processes.

    Memory is the sum of proportional set sizes: what processes share counts once.
    """
    began_s = time.monotonic()
    cpu_s: dict[int, float] = {}
    peak_mib = 0.0
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(command, stdout=output, env=os.environ.copy())
        while not _has_ended(process):
            sizes = []
            for pid in _family(process.pid):
                seen = _look(pid)
                if seen is not None:
                    cpu_s[pid], size = seen
                    sizes.append(size)
            peak_mib = max(peak_mib, sum(sizes))
        wall_s = time.monotonic() - began_s
        output.seek(0)
        said = output.read()
    if process.returncode not in {0, 1} or not said:  # 1: a claim is violated
        sys.exit(f"{command} ended with {process.returncode}")
    figures = {"wall_s": wall_s, "cpu_s": sum(cpu_s.values()), "peak_mib": peak_mib}
    return said, {name: round(figure, 1) for name, figure in figures.items()}


def _has_ended(process: subprocess.Popen[bytes]) -> bool:
    try:
        process.wait(INTERVAL_S)
    except subprocess.TimeoutExpired:
        return False
    return True


def _family(root: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            children.setdefault(int(fields[1]), []).append(int(entry.name))
    found = [root]
    for pid in found:
        found += children.get(pid, [])
    return found


def _look(pid: int) -> tuple[float, float] | None:
    """CPU seconds and MiB, unless it has just ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return None
    sizes = [int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:")]
    return (int(fields[11]) + int(fields[12])) / CLOCK_TICKS, sum(sizes) / 1024


def ours(run: Path) -> list[str]:
    return [sys.executable, "-m", "highwater.cli", "check", str(run), "--json"]


def warm(folder: Path, times: int) -> dict[str, float]:
    """Seconds for a run that is judged again and again, without the first time."""
    run = open_run(write_long_record(folder / "small", SMALL))
    taken_s = []
    for _ in range(times + 1):
        began_s = time.monotonic()
        judge([run])
        taken_s.append(time.monotonic() - began_s)
    return {
        "records": SMALL,
        "median_s": round(statistics.median(taken_s[1:]), 2),
        "longest_s": round(max(taken_s[1:]), 2),
    }


def _answers(said: str) -> dict[str, list[int]]:
    (run,) = json.loads(said)
    told = {one["claim"]: [one["considered"], one["anomalies"]] for one in run["verdicts"]}
    return {claim: counts for claim, counts in told.items() if counts[0]}


def judging(folder: Path, sizes: list[int]) -> dict[str, Any]:
    """Figures by engine and size."""
    found: dict[str, Any] = {}
    for records in sizes:
        run = write_long_record(folder / str(records), records)
        os.sync()  # or whoever is first waits for what is still being written
        said, figures = measure(ours(run))
        answers, row = _answers(said), {"highwater": figures}
        for engine in ENGINES:
            if records <= MOST_RECORDS[engine]:
                words = [sys.executable, "-m", "tests.bench.other_engines", engine, str(run)]
                said, row[engine] = measure(words)
                if {claim: each for claim, each in json.loads(said).items() if each[0]} != answers:
                    sys.exit(f"{engine} says {said}, and highwater {answers}")
        found[str(records)] = row
        print(f"{records}: {json.dumps(row)}", file=sys.stderr)
    return found


def main() -> None:
    short = sys.argv[1:] == ["--short"]
    sizes = [SMALL] if short else [int(word) for word in sys.argv[1:]] or list(SIZES)
    with tempfile.TemporaryDirectory() as folder:
        found = judging(Path(folder), sizes)
        print(
            json.dumps(
                {"engines": found, "warm": warm(Path(folder), 1 if short else TIMES)}, indent=2
            )
        )


if __name__ == "__main__":
    main()
