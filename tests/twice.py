"""What has failed is played once more, alone: `python -m tests.twice PYTEST... -o cache_dir=D ...`.

Trials on real brokers wait for elections, sessions and timeouts; beside a thousand other tests on
two processors one of some thousand comes too late for what it asserts. What fails for its own sake
fails again. A test that passes then is told as FLAKY, for somebody to mend, and fails nothing. More
than a few that fail are no accident: nothing is played again then.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from pathlib import Path

import pytest

MOST = 3  # tests that fail: one more, and none of them is played again
CACHE = "cache_dir="
AGAIN = ["--last-failed", "--last-failed-no-failures", "none", "--maxfail", "1"]


def played(command: Sequence[str]) -> int:
    """What pytest said in the end, of the second run where that says something; 0 is good."""
    cache = _cache(command)
    ended = _ended([*command, "--cache-clear"])
    failed = _failed(cache)
    if ended != pytest.ExitCode.TESTS_FAILED or not failed:
        return ended
    if len(failed) > MOST:
        print(f"{len(failed)} tests failed, more than {MOST}: none is played again", flush=True)
        return ended
    print(f"once more, and alone: {', '.join(failed)}", flush=True)
    report = cache / "again.xml"
    again = _ended([*command, *AGAIN, f"--junitxml={report}"])
    if again != pytest.ExitCode.OK:
        return again
    if (passed := _passed(report)) != len(failed):
        print(f"{len(failed)} tests failed, and {passed} passed when they were to be played again")
        return ended
    for each in failed:
        print(f"FLAKY {each}: failed, and passed when it was played once more", flush=True)
    return again


def _ended(command: Sequence[str]) -> int:
    """Its exit code. Ctrl-C is for pytest, which ends what it has started; so is SIGTERM."""
    with subprocess.Popen(command) as pytest_run:
        if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
            signal.signal(signal.SIGINT, lambda *_: None)
        signal.signal(signal.SIGTERM, lambda *_: pytest_run.terminate())
        return pytest_run.wait()


def _cache(command: Sequence[str]) -> Path:
    """Where pytest keeps what has failed; ValueError where the command does not say it."""
    named = [each.removeprefix(CACHE) for each in command if each.startswith(CACHE)]
    if len(named) != 1:
        raise ValueError(f"expected -o {CACHE}DIRECTORY once, for what has failed: got {named}")
    return Path(named[0])


def _failed(cache: Path) -> list[str]:
    kept = cache / "v" / "cache" / "lastfailed"
    return sorted(json.loads(kept.read_text(encoding="utf-8"))) if kept.exists() else []


def _passed(report: Path) -> int:
    """How many tests were played, and not skipped."""
    suite = ET.parse(report).getroot().find("testsuite")
    told = {} if suite is None else suite.attrib
    return int(told.get("tests", 0)) - int(told.get("skipped", 0))


if __name__ == "__main__":
    sys.exit(played(sys.argv[1:]))
