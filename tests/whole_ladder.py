"""The whole ladder, some shards at once: played for so many minutes, and gone on with later.

How long each sitting took is kept beside the runs, so that the page tells what all of it takes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from tests.client_ladder import end_all

from highwater.harness.errors import DeadlineError
from highwater.harness.record.files import write_json
from highwater.harness.wait import wait_until

Running = subprocess.Popen[bytes]


def available_bytes(told: str) -> int:
    """What programs can have, of /proc/meminfo: the kernel gives up what it keeps of files."""
    sizes = dict(line.split(":", 1) for line in told.splitlines())
    return int(sizes["MemAvailable"].split()[0]) << 10


CLUSTER_BYTES = 3 << 30  # what a shard may need: three to five JVMs, Spark, and room
MEMORY_BYTES = available_bytes(Path("/proc/meminfo").read_text())
# One for each processor: a further one takes more from the others than it plays (ADR 100).
AT_ONCE = max(1, min(os.cpu_count() or 1, MEMORY_BYTES // CLUSTER_BYTES))
SHARDS = 6 * AT_ONCE  # whoever has ended makes room for the next: none plays alone for long
LONGEST_S = 24 * 3600.0
REPORTED = frozenset({0, 1, 3})  # exit codes of who has come to its end
RERUNS = 2


def words(trials: int) -> list[str]:
    return ["matrix", "-n", str(trials), "--reruns", str(RERUNS)]


def play(trials: int, out: Path, most_s: float | None) -> bool:
    """Every shard, then one more that finds everything played and reports; says whether it came
    to that.
    """
    started = time.monotonic()
    line = [sys.executable, "-m", "highwater.cli", *words(trials), "-o", str(out)]
    shards = [[*line, "--shard", f"{place}/{SHARDS}"] for place in range(1, SHARDS + 1)]
    try:
        played = all_end(shards, LONGEST_S if most_s is None else most_s)
        return played and subprocess.run([*line, "--resume"], check=False).returncode in REPORTED
    finally:
        write_json(_sittings(out), [*sat_s(out), time.monotonic() - started])


def all_end(lines: Sequence[Sequence[str]], most_s: float) -> bool:
    """Run each, AT_ONCE at a time, the next one as soon as one has ended; whether all did in time.

    What still runs then is told to end, and waited for.
    """
    left, running, ends_at = [*lines], list[Running](), time.monotonic() + most_s
    try:
        while left or running:
            while left and len(running) < AT_ONCE:
                running.append(subprocess.Popen(left.pop(0)))
            wait_until(
                lambda: any(each.poll() is not None for each in running),
                "a shard that has ended",
                ends_at - time.monotonic(),
                interval_s=0.2,
            )
            running[:] = [each for each in running if each.poll() is None]
    except DeadlineError:
        return False
    finally:
        end_all(running)
    return True


def sat_s(out: Path) -> list[float]:
    """The seconds of each sitting."""
    path = _sittings(out)
    return list(json.loads(path.read_text())) if path.exists() else []


def _sittings(out: Path) -> Path:
    return out / "sittings.json"
