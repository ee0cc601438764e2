"""pytest in a process of its own, as a user runs it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def run_pytest(
    folder: Path, *words: str, timeout_s: float = 120.0
) -> subprocess.CompletedProcess[str]:
    """What it said, and its exit code, whatever that is."""
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=timeout_s,
    )
