"""The page of a history: a row for each test or cell, a column for each session."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from highwater.reports.compared import WORDS, shown
from highwater.reports.history import PLAYED_AGAIN, History, Row
from highwater.reports.page import save, template
from highwater.reports.suite import SYMBOLS as OF_TESTS
from highwater.reports.table import SYMBOLS as OF_CELLS
from highwater.reports.wording import counted

WIDTH, HEIGHT = 120, 22  # user units of a line of figures
SYMBOLS = {**OF_TESTS, **OF_CELLS}


@dataclass(frozen=True, slots=True)
class Line:
    """A figure from session to session; where it was not measured, or never came, is a gap."""

    words: str
    path: str
    ends: tuple[float, float] | None  # its last point
    told: str  # the same in words


def write_history_page(directory: Path, history: History, problems: Sequence[str]) -> Path:
    """Write `history.html` into `directory` and return its path."""
    html = template("history.html.j2").render(
        history=history,
        problems=problems,
        heads=list(zip(history.sessions, history.changed, strict=True))[::-1],
        symbols=SYMBOLS,
        again=PLAYED_AGAIN,
        kafkas=sorted({row.subject.kafka for row in history.rows}),
        outcomes=sorted({row.last.result.word for row in history.rows}),
        seconds_of=lambda row: _line("seconds", "seconds", _durations(row)),
        lines_of=_lines,
        width=WIDTH,
        height=HEIGHT,
    )
    return save(directory, html, "history.html")


def _durations(row: Row) -> list[float | None]:
    return [cell.result.seconds if cell else None for cell in row.cells]


def _lines(row: Row) -> list[Line]:
    """What clients achieved, of what was measured more than once."""
    return [
        _line(name, words, values)
        for name, words in WORDS.items()
        for values in [[cell.result.measures.get(name) if cell else None for cell in row.cells]]
        if any(value is not None for value in values)
    ]


def _line(name: str, words: str, values: Sequence[float | None]) -> Line:
    known = [value for value in values if value is not None]
    most = max(known, default=0.0) or 1.0
    step = WIDTH / max(1, len(values) - 1)
    path, pen, ends = "", "M", None
    for number, value in enumerate(values):
        if value is None:
            pen = "M"
            continue
        ends = (round(number * step, 1), round(HEIGHT - (HEIGHT - 4) * value / most - 2, 1))
        path += f"{pen}{ends[0]:g} {ends[1]:g}"
        pen = "L"
    return Line(words, path, ends, _told(name, known))


def _told(name: str, known: Sequence[float]) -> str:
    if not known:
        return "not measured"
    unit = " s" if name == "seconds" else ""
    said = [shown(name, each) if not unit else f"{each:.1f}{unit}" for each in
            (known[-1], min(known), max(known))]  # fmt: skip
    span = f"; {said[1]} to {said[2]} in {counted(len(known), 'session')}" * (len(known) > 1)
    return f"{said[0]}{span}"
