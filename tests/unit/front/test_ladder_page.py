"""What the page of results says of the ladder that nobody has played for it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from tests import kept_sections
from tests.kept_cells import KEPT

from highwater.harness.versions.catalogue import ladder_kafkas
from highwater.ladder import Extent, ladder, rungs

Row = Mapping[str, Any]
MARK = "Not played for this table yet"


@pytest.fixture
def rows() -> list[Row]:
    """A cell each of the whole ladder, as the catalogue has it now."""
    (one, *_) = json.loads((KEPT / "ladder.json").read_text())["cells"]
    return [
        {
            **one,
            "scenario": cell.scenario.name,
            "kafka": cell.kafka.name,
            "control": cell.control,
            "expected": cell.expected,
        }
        for cell in ladder(rungs(), ladder_kafkas(), Extent.ENDS)
    ]


def section(rows: Sequence[Row]) -> str:
    kept = {"command": "highwater matrix", "played_on": "2026-11-28", "minutes": "1"}
    return kept_sections.ladder_section({**kept, "cells": rows})


def test_scenarios_that_the_ladder_has_not_are_not_missed(rows: Sequence[Row]) -> None:
    assert MARK not in section(rows)


def test_a_scenario_that_lacks_is_named_and_so_is_a_single_cell(rows: Sequence[Row]) -> None:
    gone = rows[0]["scenario"]
    alone = next(row for row in rows if row["control"] and row["scenario"] != gone)
    left = [row for row in rows if row["scenario"] != gone and row is not alone]

    told = section(left).partition(MARK)[2]

    cell = f"{alone['scenario']} on {alone['kafka']} {alone['control']}"
    assert told == f": {gone}, {cell}.\n"
