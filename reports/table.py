"""The version-by-scenario table: rows are scenarios, columns are versions and controls; of many
cells there is a list instead, in which one finds them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from highwater.reports.cells import Cell, Column

MOST_COLUMNS, MOST_CELLS = 8, 40
SYMBOLS = {"reproduced": "✕", "clean": "✓", "mixed": "◐", "inconclusive": "?"}


@dataclass(frozen=True, slots=True)
class TrialLink:
    target: str  # id of the run's section
    number: int
    ending: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One cell as text; colour only repeats what symbol and words say."""

    cell: Cell
    symbol: str
    text: str
    detail: str
    trials: Sequence[TrialLink]


@dataclass(frozen=True, slots=True)
class Row:
    scenario: str
    entries: Sequence[Sequence[Entry]]  # per column; empty where nothing was run


@dataclass(frozen=True, slots=True)
class Matrix:
    columns: Sequence[Column]
    rows: Sequence[Row]  # none where there are too many cells to see at once
    several_backends: bool

    @property
    def is_small(self) -> bool:
        return bool(self.rows)


def matrix(cells: Sequence[Cell], links: Mapping[str, TrialLink]) -> Matrix:
    """`links` is keyed by a run's path as the cell names it; others are not on the page."""
    columns = sorted({cell.column for cell in cells}, key=lambda column: column.order)
    small = len(columns) <= MOST_COLUMNS and len(cells) <= MOST_CELLS
    rows = [
        Row(
            scenario,
            [
                [
                    entry(cell, links)
                    for cell in cells
                    if cell.scenario == scenario and cell.column == column
                ]
                for column in columns
            ],
        )
        for scenario in dict.fromkeys(cell.scenario for cell in cells if small)
    ]
    return Matrix(columns, rows, len({column.backend for column in columns}) > 1)


def entry(cell: Cell, links: Mapping[str, TrialLink]) -> Entry:
    return Entry(
        cell,
        SYMBOLS[cell.result],
        _text(cell),
        _detail(cell),
        [links[run] for run in cell.runs if run in links],
    )


def _text(cell: Cell) -> str:
    if cell.conclusive == 0:
        return f"no answer in {cell.trials}"
    return f"{cell.reproduced}/{cell.conclusive} reproduced"


def _detail(cell: Cell) -> str:
    low, high = cell.interval_percent
    said = []
    if cell.conclusive:
        said.append(f"95%: {low}–{high}%")  # noqa: RUF001 - an en dash, as in print
    if cell.inconclusive:
        said.append(f"{cell.inconclusive} of {cell.trials} inconclusive")
    return "; ".join(said)
