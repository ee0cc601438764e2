"""A damaged record is no crash, and never a verdict that its evidence does not give."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.model.choices import Seeded
from tests.model.damage import damaged, worse
from tests.model.evidence import case_of
from tests.model.judged import answers, judged_here
from tests.model.written import write

from highwater.harness.errors import RecordError
from highwater.harness.record.reader import open_run

AT_ONCE = 40


def _made_worse(seed: int, run: Path) -> dict[str, str]:
    choices = Seeded(seed)
    stored = write(case_of(choices), run)
    before = answers(judged_here(stored))
    told = damaged(choices, run)
    try:
        after = judged_here(open_run(run))
    except RecordError:
        return {}  # refused, so nothing is judged
    broke = {name: each.reason for name, each in after.items() if "checker broke" in each.reason}
    return {**broke, **worse(told, before, answers(after))}


@pytest.mark.parametrize(
    "first",
    [0, *(pytest.param(at, marks=pytest.mark.on_demand) for at in range(1, 50))],
)
def test_damage_makes_no_verdict_and_no_crash(first: int, tmp_path: Path) -> None:
    seeds = range(first * AT_ONCE, (first + 1) * AT_ONCE)

    found = {seed: _made_worse(seed, tmp_path / str(seed)) for seed in seeds}

    assert {seed: wrong for seed, wrong in found.items() if wrong} == {}
