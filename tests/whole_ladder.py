"""The whole ladder, in some shards at once: played for so many minutes, and gone on with later.

How long each sitting took is kept beside the runs, so that the page tells what all of it takes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

from tests.client_ladder import end_all, have_ended

from highwater.harness.record.files import write_json

CLUSTER_BYTES = 3 << 30  # what a shard may need: three to five JVMs, Spark, and room
MEMORY_BYTES = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
SHARDS = max(1, min((os.cpu_count() or 1) + 1, MEMORY_BYTES // CLUSTER_BYTES))  # most only wait
RERUNS = 2


def words(trials: int) -> list[str]:
    return ["matrix", "-n", str(trials), "--reruns", str(RERUNS)]


def play(trials: int, out: Path, most_s: float | None) -> bool:
    """Every shard, then one more that finds everything played and reports; says whether it came
    to that.
    """
    started = time.monotonic()
    line = [sys.executable, "-m", "highwater.cli", *words(trials), "-o", str(out)]
    shards = [
        subprocess.Popen([*line, "--shard", f"{place}/{SHARDS}"]) for place in range(1, SHARDS + 1)
    ]
    try:
        played = have_ended(shards, most_s)
    finally:
        end_all(shards)
    reported = played and subprocess.run([*line, "--resume"], check=False).returncode in {0, 1, 3}
    write_json(_sittings(out), [*sat_s(out), time.monotonic() - started])
    return reported


def sat_s(out: Path) -> list[float]:
    """The seconds of each sitting."""
    path = _sittings(out)
    return list(json.loads(path.read_text())) if path.exists() else []


def _sittings(out: Path) -> Path:
    return out / "sittings.json"
