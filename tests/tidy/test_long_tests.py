"""Every long test has a duration, by which it is dealt to a slice, and every duration has a test.

That takes a collection of all tests, and with it all that testing needs.
"""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from tests import slices


@pytest.fixture(scope="module")
def collected() -> str:
    """What pytest says of a collection of everything."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-qq", "--slice", "1/1"],
        cwd=slices.ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_every_long_test_has_a_duration(collected: str) -> None:
    unknown = [line for line in collected.splitlines() if line.startswith("no duration")]

    assert unknown == [], "add an estimate in seconds to tests/durations.json"
    assert "slice 1/1" in collected


def test_every_duration_belongs_to_a_long_test(collected: str) -> None:
    played = set(re.findall(r"^about \d+ s: (.+)$", collected, re.MULTILINE))

    assert played
    assert set(slices.read()) - played == set()
