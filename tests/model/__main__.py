"""`python -m tests.model SEED`: the story of a seed, what is true of it, and what the judge says.

With two numbers, FIRST LAST, only the seeds of which the judge says what is not right.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.model.examined import of_seed


def main(first: int, last: int | None) -> int:
    differing = 0
    for seed in range(first, (last or first) + 1):
        with tempfile.TemporaryDirectory() as folder:
            one = of_seed(seed, Path(folder, "run"))
        differing += bool(one.differ)
        if last is None:
            print(one.told())
        elif one.differ:
            print(seed, one.differ)
    print(f"{differing} of {(last or first) - first + 1} differ")
    return 1 if differing else 0


if __name__ == "__main__":
    numbers = [int(each) for each in sys.argv[1:3]]
    if not numbers:
        sys.exit(f"expected a seed, or the first and the last of several\n\n{__doc__}")
    sys.exit(main(numbers[0], numbers[1] if len(numbers) > 1 else None))
