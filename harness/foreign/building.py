"""A step in the making of an adapter: a program of somebody else's that has to succeed."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence

from highwater.harness.errors import InfrastructureError

SHOWN = 2_000  # characters of what it said, the last ones


def step(line: Sequence[str], timeout_s: float, wrong: str) -> None:
    """Run it; raises InfrastructureError, which begins with `wrong`, where it fails."""
    try:
        done = subprocess.run(
            line,
            capture_output=True,
            text=True,
            check=False,
            env=os.environ.copy(),
            timeout=timeout_s,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InfrastructureError(f"{wrong}: {error}") from error
    if done.returncode:
        raise InfrastructureError(f"{wrong}:\n{(done.stdout + done.stderr)[-SHOWN:]}")
