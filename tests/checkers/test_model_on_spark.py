"""Records of the model on Spark: whole, and in parts, judged as in one process."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.model.choices import Seeded
from tests.model.evidence import case_of
from tests.model.judged import answers, judged_by_spark, judged_here
from tests.model.written import write

pytestmark = pytest.mark.spark

WHOLE, IN_PARTS = range(100), range(100, 106)


@pytest.mark.parametrize(
    ("seeds", "in_parts"),
    [pytest.param(WHOLE, False, marks=pytest.mark.on_demand, id="whole"), (IN_PARTS, True)],
)
def test_spark_says_of_the_models_records_what_one_process_says(
    seeds: range, in_parts: bool, tmp_path: Path
) -> None:
    runs = [write(case_of(Seeded(seed)), tmp_path / str(seed)) for seed in seeds]

    said = judged_by_spark(runs, in_parts=in_parts)

    here = [answers(judged_here(run)) for run in runs]
    assert [answers(verdicts) for verdicts in said] == here
