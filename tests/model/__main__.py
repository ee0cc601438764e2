"""`python -m tests.model SEED`: the story of a seed, what is true of it, and what the judge says."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.model.choices import Seeded
from tests.model.evidence import case_of
from tests.model.judged import answers, judged_here
from tests.model.truth import differences, truth_of
from tests.model.written import write


def main(seeds: list[int]) -> int:
    differing = 0
    for seed in seeds:
        case = case_of(Seeded(seed))
        truth = truth_of(case)
        with tempfile.TemporaryDirectory() as folder:
            said = judged_here(write(case, Path(folder, "run")))
        differ = differences(truth, answers(said))
        differing += bool(differ)
        if len(seeds) == 1:
            print(*case.world.story, sep="\n")
            print(case.settings, case.evidence, sep="\n")
            for claim, allowed in truth.items():
                mark = "DIFFERS" if claim in differ else ""
                right = " or ".join(sorted(allowed))
                one = said[claim]
                print(f"{claim:22} {one.answer:9} {right:30} {mark} {one.reason[:100]}")
                if claim in differ:
                    print("   ", *one.witnesses[:4], sep="\n    ")
        elif differ:
            print(seed, differ)
    print(f"{differing} of {len(seeds)} differ")
    return 1 if differing else 0


if __name__ == "__main__":
    first, _, last = sys.argv[1].partition("-")
    sys.exit(main(list(range(int(first), int(last or first) + 1))))
