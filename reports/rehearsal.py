"""The page of a rehearsed upgrade: what each step came to, and how long clients had to wait."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from highwater.harness.record.files import write_text
from highwater.reports.cells import read_cells
from highwater.reports.page import cell_id, made_with, template

Row = Mapping[str, Any]
MEANING = {
    "before": "before the first broker is restarted",
    "binaries": "every node runs the new release, and speaks as before",
    "protocol": "the new protocol, or metadata.version, is final",
    "format": "the new message format is final",
    "load": "what was sent while nodes were restarted, and leaders died",
}


def write_rehearsal(directory: Path, told: Mapping[str, Any]) -> Path:
    """Write `rehearsal.html` beside `report.html`, and return its path."""
    (cell,) = read_cells([told["cell"]])
    html = template("rehearsal.html.j2").render(
        told=told,
        headline=headline(told),
        verdict={"violated": "bad", "held": "good", "unknown": "none"}[told["answer"]],
        meaning=MEANING,
        step_words=step_words,
        ms=_ms,
        evidence=f"report.html#{cell_id(cell)}",
        environments=made_with(directory, [cell]),
    )
    path = directory / "rehearsal.html"
    write_text(path, html)
    return path


def headline(told: Mapping[str, Any]) -> str:
    """What a person would say of it aloud."""
    upgrade = f"The upgrade from {told['from']} to {told['to']}"
    if told["answer"] == "unknown":
        return f"{upgrade} is not proven: {told['reason'] or 'no evidence'}"
    if told["answer"] == "held":
        acked = sum(row["acked"] or 0 for row in told["steps"])
        return f"{upgrade} lost none of {acked:,} acknowledged records"
    failed = [row["step"] for row in told["steps"] if row["violated"]]
    clean = [row["step"] for row in told["steps"] if row["acked"] and not row["violated"]]
    said = f"{upgrade} violated {', '.join(told['violated'])}"
    if not failed:
        return said
    others = (
        ""
        if any(row["uncounted"] for row in told["steps"])
        else f"; not at: {', '.join(clean) or 'any'}"
    )
    return f"{said} at: {', '.join(failed)}{others}"


def lines(told: Mapping[str, Any]) -> Iterator[str]:
    """For the terminal."""
    for row in told["steps"]:
        yield f"{row['step']} ({MEANING[row['step']]}): {step_words(row)}"
    for row in told["loads"]:
        waited = f"p99 {_ms(row['ack_p99_ms'])}, longest gap {_ms(row['longest_gap_ms'])}"
        yield f"{row['client']}: {row['acked']:,} acknowledged, {_other(row)}; {waited}"


def step_words(row: Row) -> str:
    """What a trap, or the load, came to."""
    if row["acked"] is None:
        return "not come to"
    of = f"of {row['acked']:,} acknowledged records"
    lost = row["violated"].get("lost-write", 0)
    others = [f"{claim}: {count}" for claim, count in row["violated"].items()]
    if not others:
        return f"none {of} was lost" if not row["uncounted"] else _untold(row)
    least = "at least " if "lost-write" in row["uncounted"] else ""
    return "; ".join([f"{least}{lost:,} {of} were lost" if lost else "", *others]).removeprefix(
        "; "
    )


def _untold(row: Row) -> str:
    claims = ", ".join(row["uncounted"])
    return (
        f"nobody can tell what became of {row['acked']:,} acknowledged records: not all that "
        f"violates {claims} is told one by one"
    )


def _other(row: Row) -> str:
    return f"{row['failed']:,} failed, {row['unknown']:,} unknown"


def _ms(value: float | None) -> str:
    return "—" if value is None else f"{value:,.0f} ms"
