"""What clients achieved on one Kafka beside what they achieved on another, scenario by scenario.

A figure is marked where it is more than twice as bad as the best of its row, and no trial of the
one came near a trial of the other. Below a factor of two trials of one Kafka differ as well: they
share a machine with brokers, clients and a judge.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from highwater.reports.cells import Cell, Column
from highwater.reports.wording import counted

FACTOR = 2
LEAST_ACKED = 100  # in some trial: fewer records have no 99th percentile worth the name
MOST_LINES = 5  # in the terminal
WORDS = {
    "acked": "records acknowledged",
    "ack_p50_ms": "acknowledged within, p50",
    "ack_p99_ms": "acknowledged within, p99",
    "ack_max_ms": "acknowledged within, the longest",
    "end_to_end_p99_ms": "from end to end, p99",
    "longest_gap_ms": "longest gap",
    "first_ack_ms": "after a fault, until the first acknowledgement",
    "silent_ms": "after a fault, sends waited in vain",
    "full_isr_ms": "after a fault, until the ISR was full again",
    "rebalance_ms": "partitions of a group without an owner",
    "lag_records": "largest lag of a group, records",
}
# What is less counts as so much: ends of sends are exact from 10 ms on, replicas are looked at ten
# times a second, and what a group is handed at once it commits at once.
LEAST = {"acked": 0, "full_isr_ms": 100, "lag_records": 100}
LEAST_MS = 10

Summary = Mapping[str, Any]  # median, least, most, trials, never


@dataclass(frozen=True, slots=True)
class Figure:
    """A measure of one cell; `median` is None where it never came in any trial."""

    median: float | None
    text: str
    never: str  # in how many trials what was waited for did not come; "" for none
    detail: str
    is_marked: bool


@dataclass(frozen=True, slots=True)
class MeasureRow:
    name: str
    words: str
    figures: Sequence[Figure | None]  # by column; None: not measured


@dataclass(frozen=True, slots=True)
class Comparison:
    """Of one scenario that more than one column has measured."""

    scenario: str
    columns: Sequence[Column]
    rows: Sequence[MeasureRow]
    part: str = ""  # where it is packed


def comparisons(cells: Sequence[Cell]) -> list[Comparison]:
    """Of scenarios in which enough was acknowledged, and of which there is something to compare."""
    found = []
    for scenario in dict.fromkeys(cell.scenario for cell in cells):
        mine = sorted(
            (cell for cell in cells if cell.scenario == scenario and cell.measures),
            key=lambda cell: cell.column.order,
        )
        if len(mine) > 1 and max(map(_most_acked, mine)) >= LEAST_ACKED:
            rows = [
                _row(name, [cell.measures.get(name) for cell in mine])
                for name in WORDS
                if any(name in cell.measures for cell in mine)
            ]
            found.append(Comparison(scenario, [cell.column for cell in mine], rows))
    return found


def telling(cells: Sequence[Cell]) -> Iterator[str]:
    """Of the figures that are marked the first ones, a line each, for the terminal."""
    lines = [
        f"{one.scenario}: {row.words}: {_worst_and_best(row, one.columns)}"
        for one in comparisons(cells)
        for row in one.rows
        if any(figure and figure.is_marked for figure in row.figures)
    ]
    yield from lines[:MOST_LINES]
    if len(lines) > MOST_LINES:
        yield f"and {len(lines) - MOST_LINES} more are marked in the report"


def _most_acked(cell: Cell) -> float:
    return cell.measures["acked"]["most"] or 0 if "acked" in cell.measures else 0


def _row(name: str, summaries: Sequence[Summary | None]) -> MeasureRow:
    known = [each for each in summaries if each and each["median"] is not None]
    known = [each for each in known if not each["never"]]
    best = min(known, key=lambda each: _badness(name, each["median"]), default=None)
    figures = [
        None
        if each is None
        else Figure(
            each["median"],
            "never" if each["median"] is None else shown(name, each["median"]),
            _never(each),
            _detail(name, each),
            best is not None and _is_worse(name, each, best),
        )
        for each in summaries
    ]
    return MeasureRow(name, WORDS[name], figures)


def _badness(name: str, figure: float) -> float:
    """Of records more are better; of times less are."""
    return -figure if name == "acked" else figure


def _is_worse(name: str, mine: Summary, best: Summary) -> bool:
    if mine["never"]:
        return not best["never"]
    low, high = (best, mine) if name != "acked" else (mine, best)
    floor = max(low["median"], LEAST.get(name, LEAST_MS))
    return bool(high["median"] > FACTOR * floor and high["least"] > low["most"])


def _worst_and_best(row: MeasureRow, columns: Sequence[Column]) -> str:
    several = len({column.backend for column in columns}) > 1
    known = [
        (figure, f"{column.label} ({column.backend})" if several else column.label)
        for figure, column in zip(row.figures, columns, strict=True)
        if figure is not None
    ]
    marked = [one for one in known if one[0].is_marked]
    others = [one for one in known if not one[0].is_marked]
    worst = max(marked, key=lambda one: (bool(one[0].never), _order(row.name, one[0])))
    best = min(others, key=lambda one: _order(row.name, one[0]))
    return ", ".join(f"{figure.never or figure.text} on {label}" for figure, label in (worst, best))


def _order(name: str, figure: Figure) -> float:
    return float("inf") if figure.median is None else _badness(name, figure.median)


def shown(name: str, figure: float) -> str:
    if not name.endswith("_ms"):
        return f"{figure:,.0f}"
    return f"{figure:,.0f} ms" if figure >= 10 else f"{figure:.1f} ms"


def _never(summary: Summary) -> str:
    return f"never in {summary['never']} of {summary['trials']}" if summary["never"] else ""


def _detail(name: str, summary: Summary) -> str:
    trials = summary["trials"] - summary["never"]
    if trials < 2:
        return _never(summary)
    ends = f"{shown(name, summary['least'])} to {shown(name, summary['most'])}"
    return "; ".join(filter(None, [_never(summary), f"{ends} in {counted(trials, 'trial')}"]))
