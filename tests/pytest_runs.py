"""pytest in a process of its own, as a user runs it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

# Not what it takes: these tests give way to those with brokers, and processors are few.
PATIENCE_S = 300.0


SAID_OF_CI = ("CI", "BUILD_NUMBER")  # with these pytest says failures again, in its last lines


def run_pytest(
    folder: Path, *words: str, timeout_s: float = PATIENCE_S
) -> subprocess.CompletedProcess[str]:
    """What it said, and its exit code, whatever that is."""
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=timeout_s,
        env={name: value for name, value in os.environ.items() if name not in SAID_OF_CI},
    )


@contextmanager
def to_be_killed(suite: Path, out: Path, kafka: str) -> Generator[subprocess.Popen[bytes]]:
    """pytest plays these tests; it is waited for when the context is left."""
    options = ["--kafka", kafka, "--highwater-report", str(out), "-p", "no:cacheprovider"]
    with subprocess.Popen(
        [sys.executable, "-m", "pytest", "-q", str(suite), *options],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as running:
        yield running


def checked(out: Path) -> subprocess.CompletedProcess[str]:
    """`highwater check --json` of what is there."""
    return subprocess.run(
        [sys.executable, "-m", "highwater.cli", "check", str(out), "--json"],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )


def verdicts_of(out: Path) -> dict[str, dict[str, Any]]:
    """What it says of the first run there, by claim."""
    return verdicts_in(checked(out))


def verdicts_in(judged: subprocess.CompletedProcess[str]) -> dict[str, dict[str, Any]]:
    return {each["claim"]: each for each in json.loads(judged.stdout)[0]["verdicts"]}
