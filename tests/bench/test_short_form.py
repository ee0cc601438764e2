"""Every benchmark still measures: once, the smallest, with nothing written into the docs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.bench.__main__ import PARTS
from tests.grounds import required_engine
from tests.results import DOCS

pytestmark = [pytest.mark.on_demand, pytest.mark.cluster, pytest.mark.timeout(600)]


def _short(*words: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", *words, "--short"],
        capture_output=True,
        text=True,
        check=False,
        timeout=540,
    )
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    assert "failed" not in done.stdout, told
    return told


def _docs() -> dict[Path, int]:
    return {path: path.stat().st_mtime_ns for path in DOCS.rglob("*")}


@pytest.mark.parametrize("part", PARTS)
def test_a_part_measures_in_its_short_form(part: str) -> None:
    if part == "containers":
        with required_engine():
            pass
    before = _docs()

    told = _short("tests.bench", part)

    assert set(told) == {"machine", part}
    assert told[part]
    assert _docs() == before


def test_all_engines_judge_a_small_record_and_say_the_same() -> None:
    before = _docs()

    told = _short("tests.bench.judging")

    (figures,) = told["engines"].values()
    assert set(figures) == {"highwater", "duckdb", "pandas"}
    assert _docs() == before
