"""What has failed is played once more, alone: `python -m tests.twice PYTEST... -o cache_dir=D ...`.

Trials on real brokers wait for elections, sessions and timeouts; beside a thousand other tests on
two processors one of some thousand comes too late for what it asserts. What fails for its own sake
fails again. A test that passes then is told as FLAKY, for somebody to mend, and fails nothing. More
than a few that fail are no accident: nothing is played again then.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

MOST = 3  # tests that fail: one more, and none of them is played again
CACHE = "cache_dir="
AGAIN = ["--last-failed", "--last-failed-no-failures", "none", "--maxfail", "1"]


def played(command: Sequence[str]) -> int:
    """What pytest said in the end, of the second run where there was one; 0 is good."""
    cache = _cache(command)
    ended = subprocess.run([*command, "--cache-clear"], check=False).returncode
    if ended != pytest.ExitCode.TESTS_FAILED:
        return ended
    failed = _failed(cache)
    if not 0 < len(failed) <= MOST:
        print(f"{len(failed)} tests failed, more than {MOST}: none is played again", flush=True)
        return ended
    print(f"once more, and alone: {', '.join(failed)}", flush=True)
    again = subprocess.run([*command, *AGAIN], check=False).returncode
    if again == pytest.ExitCode.OK:
        for each in failed:
            print(f"FLAKY {each}: failed, and passed when it was played once more", flush=True)
    return again


def _cache(command: Sequence[str]) -> Path:
    """Where pytest keeps what has failed; ValueError where the command does not say it."""
    named = [each.removeprefix(CACHE) for each in command if each.startswith(CACHE)]
    if len(named) != 1:
        raise ValueError(f"expected -o {CACHE}DIRECTORY once, for what has failed: got {named}")
    return Path(named[0])


def _failed(cache: Path) -> list[str]:
    kept = cache / "v" / "cache" / "lastfailed"
    return sorted(json.loads(kept.read_text(encoding="utf-8"))) if kept.exists() else []


if __name__ == "__main__":
    sys.exit(played(sys.argv[1:]))
