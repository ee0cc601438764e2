"""`highwater ladder` draws the cells of a comparison, and says what it cannot draw."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from highwater import cli

Ladder = Callable[..., tuple[int, str]]  # the exit code, and what was said


@pytest.fixture
def ladder(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Ladder:
    def draw(*words: object) -> tuple[int, str]:
        monkeypatch.setattr("sys.argv", ["highwater", "ladder", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        told = capsys.readouterr()
        return int(ended.value.code or 0), " ".join((told.out + told.err).split())

    return draw


def comparison(folder: Path, *kafkas: str) -> Path:
    cells = [
        {
            "scenario": "s", "kafka": kafka, "trials": 1, "reproduced": 1,
            "source": "KAFKA-7", "expected": "reproduced", "as_expected": True,
        }
        for kafka in kafkas
    ]  # fmt: skip
    (folder / "compare.json").write_text(json.dumps({"schema": 1, "cells": cells}))
    return folder


def test_the_picture_of_a_comparison_is_written(tmp_path: Path, ladder: Ladder) -> None:
    folder, svg = comparison(tmp_path, "0.10.2.2", "2.8.2", "4.3.1"), tmp_path / "l.svg"

    code, said = ladder(folder, "--svg", svg, "--page", "report.html")

    assert (code, said) == (0, str(svg))
    assert svg.read_text().count('<a href="report.html#cell-s-') == 3
    assert "KAFKA-7" in svg.read_text()


@pytest.mark.parametrize(
    ("kafkas", "svg", "expected"),
    [
        (("2.8.2", "4.3.1"), "l.svg", "expected cells on 3 releases of the catalogue or more"),
        ((), "l.svg", "holds no compare.json"),
        (("0.10.2.2", "2.8.2", "4.3.1"), "compare.json/l.svg", "cannot be written: Not a"),
    ],
)
def test_what_cannot_be_drawn_is_said(
    tmp_path: Path, ladder: Ladder, kafkas: tuple[str, ...], svg: str, expected: str
) -> None:
    folder = comparison(tmp_path, *kafkas) if kafkas else tmp_path

    code, said = ladder(folder, "--svg", tmp_path / svg)

    assert code in {2, 3}
    assert expected in said
    assert "Traceback" not in said
