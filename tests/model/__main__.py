"""`python -m tests.model SEED`: the story of a seed, what is true of it, and what the judge says.

With two numbers, FIRST LAST, only the seeds of which the judge says what is not right, and how many
operations there were. `--steps 240` behind them makes stories longer than 60 steps.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tests.model.examined import STEPS, of_seed


def main(first: int, last: int | None, steps: int) -> int:
    differing, operations = 0, 0
    for seed in range(first, (first if last is None else last) + 1):
        with tempfile.TemporaryDirectory() as folder:
            one = of_seed(seed, Path(folder, "run"), steps)
        differing += bool(one.differ)
        operations += one.operations
        if last is None:
            print(one.in_words())
        elif one.differ:
            print(seed, one.differ, flush=True)
    count = 1 if last is None else last - first + 1
    print(f"{differing} of {count} differ; {operations} operations")
    return 1 if differing else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        prog="python -m tests.model",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("first", type=int, metavar="SEED")
    parser.add_argument("last", type=int, nargs="?")
    parser.add_argument("--steps", type=int, default=STEPS, help=f"of the longest story ({STEPS})")
    asked = parser.parse_args()
    sys.exit(main(asked.first, asked.last, asked.steps))
