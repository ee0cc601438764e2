"""A record whose groups lagged behind, on Spark."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from tests.checkers.conftest import judgement_under
from tests.checkers.groups import EARLIEST, acked, chance_rows

from highwater.checkers import catalogue
from highwater.checkers import judge as judging

pytestmark = pytest.mark.spark


def test_a_run_that_is_judged_in_parts_lags_alike(
    write_run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows, events = chance_rows(random.Random(3))
    many = [acked(offset, offset * 7 % 3_000 + 10) for offset in range(200)]
    run = write_run(tmp_path / "run", [*rows, *many], groups=EARLIEST)
    monkeypatch.setattr(judging, "WHOLE_ROWS", -1)
    monkeypatch.setattr(judging, "PART_ROWS", 90)

    whole = judgement_under(run, events).lags
    (in_parts,) = judging.judge_claims([run], catalogue.claims()).values()

    assert in_parts.lags.equals(whole)
    assert whole.num_rows > 9
