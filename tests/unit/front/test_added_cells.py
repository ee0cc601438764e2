"""Cells that the ladder has since it was told come to those that are told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests import kept_cells, results
from tests.unit.front.test_kept_results import TOLD, ladder

FLIP = {**TOLD, "scenario": "kafka13141-diverging-fetch"}


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(kept_cells, "KEPT", tmp_path / "kept")
    return tmp_path / "kept" / "ladder.json"


def compared(out: Path, day: int, *kafkas: str) -> str:
    """Cells of one scenario that has four on the ladder."""
    told = json.loads((ladder(out, day) / "compare.json").read_text())
    cells = [{**FLIP, "kafka": each} for each in kafkas]
    (out / "compare.json").write_text(json.dumps({**told, "cells": cells}))
    return str(out)


def test_cells_that_the_ladder_has_by_now_come_to_those_that_are_told(
    tmp_path: Path, kept: Path
) -> None:
    results.put_ladders_together([compared(tmp_path / "first", 27, "2.7.2", "2.8.0")])

    results.put_ladders_together(["more", compared(tmp_path / "more", 28, "2.8.1")])

    told = json.loads(kept.read_text())
    assert [row["kafka"] for row in told["cells"]] == ["2.7.2", "2.8.0", "2.8.1"]
    assert told["played_on"] == "2026-11-27 and 2026-11-28"
    assert len(told["started_at"]) == 2
    assert told["command"].split("\n")[1] == (
        "highwater compare -n 3 --reruns 2 -s kafka13141-diverging-fetch -k 2.8.1"
    )


@pytest.mark.parametrize(
    "kafkas", [("2.8.0",), ("0.10.1.1",), ("2.8.1", "2.8.1")], ids=["told", "of no ladder", "twice"]
)
def test_what_is_told_or_of_no_ladder_is_no_more(
    tmp_path: Path, kept: Path, kafkas: tuple[str, ...]
) -> None:
    results.put_ladders_together([compared(tmp_path / "first", 27, "2.7.2", "2.8.0")])

    with pytest.raises(SystemExit, match="ladder: expected cells of the ladder that are not told"):
        results.put_ladders_together(["more", compared(tmp_path / "more", 28, *kafkas)])

    assert len(json.loads(kept.read_text())["cells"]) == 2


def test_none_are_no_more(kept: Path) -> None:
    with pytest.raises(SystemExit, match="ladder: expected "):
        results.put_ladders_together(["more"])
    assert not kept.exists()
