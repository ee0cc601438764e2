"""Plays the fast ladder again and again beside busy loops, and says how often it was green.

`python -m tests.steadiness [ROUNDS]`: each round is `tests/cluster/test_ladder.py` as `make test`
plays it. Ends with 1 when a round was red, and names it; all rounds are played.
"""

from __future__ import annotations

import subprocess
import sys
import time

from tests.results import BUSY_LOOPS, busy

LADDER = [sys.executable, "-m", "pytest", "-q", "tests/cluster/test_ladder.py"]
ROUND_TIMEOUT_S = 2 * 3600


def main() -> None:
    rounds = int(sys.argv[1]) if sys.argv[1:] else 10
    red = []
    for number in range(1, rounds + 1):
        started = time.monotonic()
        with busy(BUSY_LOOPS):
            ended = subprocess.run(LADDER, check=False, timeout=ROUND_TIMEOUT_S).returncode
        seconds = time.monotonic() - started
        if ended:
            red.append(str(number))
        print(f"round {number} of {rounds}: {'red' if ended else 'green'}, {seconds:.0f} s")
    print(f"{rounds - len(red)} of {rounds} rounds were green, beside {BUSY_LOOPS} busy loops")
    if red:
        sys.exit(f"red: {', '.join(red)}")


if __name__ == "__main__":
    main()
