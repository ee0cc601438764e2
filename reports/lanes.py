"""Bars and marks on horizontal lanes: where they stand and where their labels find room."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from highwater.reports.axis import WIDTH

CHARACTER = 6.1  # user units of an average character at 11 units
ROW_HEIGHT = 20
LANE_GAP = 7


@dataclass(frozen=True, slots=True)
class Bar:
    """A stretch of time; `kind` is its CSS class, `said` everything about it (its <title>)."""

    x: float
    width: float
    kind: str
    label: str
    said: str
    row: int = 0
    label_x: float | None = None  # None: no room, the words are in the title and the table


@dataclass(frozen=True, slots=True)
class Mark:
    x: float
    symbol: str
    kind: str
    said: str
    words: str = ""  # what the play calls it, without time and proof


@dataclass(frozen=True, slots=True)
class Lane:
    label: str
    bars: Sequence[Bar] = ()
    marks: Sequence[Mark] = ()
    periods: Sequence[Bar] = ()  # thin ones along the lower edge: who leads
    kind: str = ""
    y: float = 0.0
    rows: int = field(default=1)

    @property
    def height(self) -> float:
        return self.rows * ROW_HEIGHT


def stacked(lanes: Sequence[Lane], top: float) -> list[Lane]:
    """The lanes below one another; bars that overlap in time get rows of their own."""
    placed: list[Lane] = []
    y = top
    for lane in lanes:
        bars = labelled(in_rows(lane.bars))
        rows = 1 + max((bar.row for bar in bars), default=0)
        placed.append(replace(lane, bars=bars, y=round(y, 1), rows=rows))
        y += rows * ROW_HEIGHT + LANE_GAP
    return placed


def in_rows(bars: Sequence[Bar]) -> list[Bar]:
    ends: list[float] = []
    placed: list[Bar] = []
    for bar in sorted(bars, key=lambda each: each.x):
        free = [row for row, end in enumerate(ends) if end <= bar.x + 0.5]
        row = free[0] if free else len(ends)
        ends[row : row + 1] = [bar.x + bar.width]
        placed.append(replace(bar, row=row))
    return placed


def labelled(bars: Sequence[Bar]) -> list[Bar]:
    return [replace(bar, label_x=_label_x(bar, bars)) for bar in bars]


def _label_x(bar: Bar, bars: Sequence[Bar]) -> float | None:
    """Inside when it fits, else right of the bar or left of it, where nothing else stands."""
    needed = len(bar.label) * CHARACTER + 8
    if bar.width >= needed:
        return round(bar.x + 4, 1)
    others = [other for other in bars if other.row == bar.row and other is not bar]
    end = bar.x + bar.width
    next_x = min((other.x for other in others if other.x >= end - 0.5), default=float(WIDTH))
    if end + needed <= next_x:
        return round(end + 4, 1)
    before = [other.x + other.width for other in others if other.x + other.width <= bar.x + 0.5]
    if not before and bar.x - needed >= 110:
        return round(bar.x - needed + 4, 1)
    return None
