"""One case examined: what the judge says of it beside what the model knows."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tests.model.choices import Choices, Seeded
from tests.model.evidence import Case, case_of
from tests.model.judged import answers, judged_here
from tests.model.truth import differences, truth_of
from tests.model.written import history_of, write

from highwater.harness.model import Answer, Verdict

STEPS = 60  # of the longest story


@dataclass(frozen=True)
class Examined:
    case: Case
    truth: dict[str, frozenset[Answer]]
    said: dict[str, Verdict]

    @property
    def differ(self) -> dict[str, str]:
        return differences(self.truth, answers(self.said))

    @property
    def operations(self) -> int:
        return len(history_of(self.case))

    def in_words(self) -> str:
        """The story, the record's gaps, and claim by claim what is right and what was said."""
        lines = [*self.case.world.story, str(self.case.settings), str(self.case.evidence)]
        for claim, allowed in self.truth.items():
            one, right = self.said[claim], " or ".join(sorted(allowed))
            mark = "  DIFFERS" if claim in self.differ else ""
            lines.append(f"{claim:26} said {one.answer:9} right {right}{mark}  {one.reason[:120]}")
            if mark:
                lines += [f"      {witness}" for witness in one.witnesses[:3]]
        return "\n".join(lines)


def examined(choices: Choices, run: Path, steps: int = STEPS) -> Examined:
    """Play a story, write its record, and have it judged in this process, without Spark."""
    case = case_of(choices, steps)
    return Examined(case, truth_of(case), judged_here(write(case, run)))


def of_seed(seed: int, run: Path, steps: int = STEPS) -> Examined:
    return examined(Seeded(seed), run, steps)
