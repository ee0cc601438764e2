"""The page of `accept`: what a configuration permits, what to change, and what happens then."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from highwater.harness.record.files import write_text
from highwater.reports.cells import Cell, read_cells
from highwater.reports.headline import DEEDS
from highwater.reports.page import cell_id, made_with, template
from highwater.reports.wording import counted

Row = Mapping[str, Any]  # one of the questions of accept.json
SYMBOLS = {"permitted": "✕", "prevented": "✓", "unknown": "?"}
PILLS = {"permitted": "reproduced", "prevented": "clean", "unknown": "inconclusive"}


@dataclass(frozen=True, slots=True)
class Shown:
    """One play of a question."""

    setting: str  # as it was
    symbol: str
    pill: str
    words: str
    link: str
    reasons: Sequence[str]


def write_acceptance(directory: Path, told: Mapping[str, Any]) -> Path:
    """Write `accept.html` beside `report.html`, and return its path."""
    rows = sorted(told["questions"], key=lambda row: list(SYMBOLS).index(row["answer"]))
    played = [row[which] for which in ("configured", "changed") for row in rows if row[which]]
    html = template("accept.html.j2").render(
        told=told,
        headline=headline(told),
        rows=[(row, *_plays(row)) for row in rows],
        verdict={"permitted": "bad", "prevented": "good", "unknown": "none"}[told["answer"]],
        environments=made_with(directory, read_cells(played)),
    )
    path = directory / "accept.html"
    write_text(path, html)
    return path


def headline(told: Mapping[str, Any]) -> str:
    """What a person would say of it aloud."""
    rows = told["questions"]
    permitted = [row["setting"] for row in rows if row["answer"] == "permitted"]
    unknown = sum(row["answer"] == "unknown" for row in rows)
    on = f"{told['file']} on Kafka {told['kafka']}"
    asked = counted(len(rows), "scenario")
    if permitted:
        settings = ", ".join(dict.fromkeys(permitted))
        lost = any("lost-write" in row["configured"]["anomalies"] for row in rows)
        what = "a loss" if lost else "a failure"
        said = f"permits {what} in {len(permitted)} of {asked}: {settings}"
    else:
        said = f"permits none of the failures of {asked} that settings decide"
    doubt = f"; of {unknown} nothing can be said" if unknown else ""
    return f"{on} {said if permitted or not unknown else 'is not proven'}{doubt}"


def sentence(row: Row) -> str:
    """One line for the terminal."""
    configured, changed = _plays(row)
    said = f"{configured.symbol} {row['scenario']}: {configured.setting}: {configured.words}"
    if row["answer"] == "unknown":
        said += "".join(f": {reason.splitlines()[0]}" for reason in configured.reasons[:1])
    if row["change"]:
        said += f"; change it: {row['change']}"
    return said + (f": {changed.words}" if changed else "") + _remark(row)


def setting(row: Row) -> str:
    """As it is, and who says so."""
    told = f"{row['setting']}={row['value']}" if row["value"] else f"{row['setting']}"
    return f"{told} ({row['origin']})"


def _remark(row: Row) -> str:
    return f" ({row['remark']})" if row["remark"] else ""


def _plays(row: Row) -> tuple[Shown, Shown | None]:
    configured = _shown(row["configured"], row["answer"], setting(row))
    if row["changed"] is None:
        return configured, None
    return configured, _shown(row["changed"], row["helps"], row["change"])


def _shown(told: Row, answer: str, as_set: str) -> Shown:
    (cell,) = read_cells([told])
    reasons = told.get("reasons", ())
    return Shown(
        as_set,
        SYMBOLS[answer],
        PILLS[answer],
        _words(cell),
        f"report.html#{cell_id(cell)}",
        reasons,
    )


def _words(cell: Cell) -> str:
    lost = cell.anomalies.get("lost-write", 0)
    trials = counted(cell.trials, "play")
    if not cell.conclusive:
        return f"nothing can be said after {trials}"
    if lost:
        return f"{lost:,} of {cell.acked:,} acknowledged records were lost in {trials}"
    deed = next((DEEDS[name] for name in DEEDS if cell.anomalies.get(name)), "")
    if cell.reproduced:
        return f"it {deed or 'came about'} in {trials}"
    if cell.inconclusive:
        clean = counted(cell.clean, "play")
        unsaid = f"nothing can be said after {cell.inconclusive:,} more"
        return f"nothing came about in {clean}, and {unsaid}"
    return f"none of {cell.acked:,} acknowledged records was lost in {trials}"
