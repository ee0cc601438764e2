"""Above a number of rows Spark reads the files itself, and says the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.checkers.conftest import HISTORIES, by_name

from highwater.checkers import inputs
from highwater.checkers.judge import judge
from highwater.harness.model import Verdict

pytestmark = pytest.mark.spark


LARGE = (
    "test_a_lost_write_tells_who_still_has_it_and_what_took_its_place",
    "test_another_record_another_epoch_or_none_at_an_offset_is_divergence",
    "test_a_leader_or_follower_that_falls_below_the_watermark_is_found_once",
)


def test_large_records_are_judged_as_small_ones_are(
    verdicts: dict[str, dict[str, Verdict]],
    write_run: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(inputs, "SMALL_ROWS", 0)
    histories = {name: HISTORIES[name][1] for name in LARGE if name in HISTORIES}
    runs = [write_run(tmp_path / name, rows) for name, rows in histories.items()]

    judged_large = by_name(judge(runs))

    assert judged_large
    assert judged_large == {name: verdicts[name] for name in histories}
