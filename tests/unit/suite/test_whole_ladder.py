"""Shards of the ladder: some at once, each makes room for the next, none outlives its sitting."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from tests.whole_ladder import AT_ONCE, all_end, available_bytes

WRITES = "import pathlib, sys; pathlib.Path(sys.argv[1]).write_text('played')"
LASTS = f"import time; {WRITES}; time.sleep(100)"


def lines(place: Path, count: int, program: str) -> list[list[str]]:
    return [[sys.executable, "-c", program, str(place / str(each))] for each in range(count)]


def test_every_shard_is_played_and_only_then_all_are(tmp_path: Path) -> None:
    assert all_end(lines(tmp_path, AT_ONCE + 2, WRITES), 60)

    assert len([*tmp_path.iterdir()]) == AT_ONCE + 2


def test_when_the_time_is_over_what_runs_is_ended_and_the_rest_is_not_begun(tmp_path: Path) -> None:
    began = time.monotonic()

    assert not all_end(lines(tmp_path, AT_ONCE + 2, LASTS), 5)

    assert time.monotonic() - began < 60
    assert len([*tmp_path.iterdir()]) == AT_ONCE


def test_one_that_fails_leaves_the_others_alone(tmp_path: Path) -> None:
    fails = [[sys.executable, "-c", "raise SystemExit(2)"]]

    assert all_end([*fails, *lines(tmp_path, 2, WRITES)], 60)
    assert len([*tmp_path.iterdir()]) == 2


def test_what_the_kernel_keeps_of_files_can_be_had() -> None:
    told = "MemTotal:       24684000 kB\nMemFree:         8000000 kB\nMemAvailable:   20000000 kB\n"

    assert available_bytes(told) == 20_000_000 << 10
