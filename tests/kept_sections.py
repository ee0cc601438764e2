"""Sections of docs/results.md about the ladder, releases, and the headline scenarios."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tests.counts import count
from tests.kept_cells import seconds_of

from highwater.harness.versions.catalogue import every_kafka, ladder_kafkas
from highwater.ladder import Extent, ladder, rungs

Row = Mapping[str, Any]
Kept = Mapping[str, Any]  # what was played, when, how long it took, and its rows


def ladder_section(kept: Kept) -> str:
    """A line per scenario: where it fails, where it holds, and what its controls do.

    What the ladder has by now, and nobody has played for this table, is named.
    """
    rows: Sequence[Row] = kept["cells"]
    lines = [*head("The ladder", kept), "![The ladder](ladder.svg)", ""]
    lines += ["| scenario | fails on | holds on | controls | s |"]
    lines += ["|---" * 5 + "|"]
    for name in dict.fromkeys(row["scenario"] for row in rows):
        mine = [row for row in rows if row["scenario"] == name]
        plain = [row for row in mine if not row["control"]]
        cells = [
            ", ".join(counted(row) for row in plain if row["expected"] == "reproduced"),
            ", ".join(counted(row) for row in plain if row["expected"] == "clean"),
            ", ".join(counted(row) for row in mine if row["control"]),
            f"{statistics.median(seconds_of(mine)):.1f}",
        ]
        lines.append(f"| {' | '.join([name, *cells])} |")
    seconds = statistics.median(seconds_of(rows))
    lines += ["", surprises(rows), f"Median of all trials: {seconds:.1f} s."]
    left = list(_not_played(rows))
    lines += ["", f"Not played for this table yet: {', '.join(left)}."] if left else []
    return "\n".join(lines) + "\n"


def sitting_section(kept: Kept) -> str:
    """What `make matrix` took, once through: flips and controls, and no ends (ADR 100)."""
    rows: Sequence[Row] = kept["cells"]
    trials = sum(row["trials"] for row in rows)
    left = sum(row["inconclusive"] for row in rows)
    said = (
        f"{len(rows)} cells, {trials} trials, of which {left} proved nothing. These are both sides "
        "of each flip, every control, and of what never flips the newest release; the oldest, one "
        "in the middle, the newest of each mode and both sides of each turn are played with "
        "`--ends` (table below)."
    )
    return "\n".join([*head("`make matrix`, once", kept), said, "", surprises(rows)]) + "\n"


def _not_played(rows: Sequence[Row]) -> Iterator[str]:
    """Scenarios of the ladder, or cells of those of which some were played."""
    played = {(row["scenario"], row["kafka"], row["control"]) for row in rows}
    known = {name for name, *_ in played}
    wanted = [
        (cell.scenario.name, cell.kafka.name, cell.control)
        for cell in ladder(rungs(), ladder_kafkas(), Extent.ENDS)
    ]
    yield from dict.fromkeys(name for name, *_ in wanted if name not in known)
    for name, kafka, control in wanted:
        if name in known and (name, kafka, control) not in played:
            yield f"{name} on {kafka}{f' {control}' if control else ''}"


def releases_section(kept: Kept) -> str:
    """Every release by name where it played as it should, a line for each where it did not.

    What the catalogue has and nobody has played yet is named.
    """
    rows: Sequence[Row] = kept["cells"]
    well = [row for row in rows if row["as_expected"]]
    lines = [*head("Every release", kept, "; clusters started beside that")]
    lines += [f"{len(well)} of {len(rows)} start, serve and play it with nothing violated:", ""]
    lines += [", ".join(f"{row['kafka']} {row['clean']}/{row['trials']}" for row in well) + "."]
    for row in rows:
        if not row["as_expected"]:
            lines += ["", f"- {row['kafka']} did not: {counted(row)}; {'; '.join(row['reasons'])}"]
    played = {row["kafka"] for row in rows}
    left = [kafka.name for kafka in every_kafka() if kafka.name not in played]
    lines += ["", f"Not played yet: {', '.join(left)}."] if left else []
    return "\n".join(lines) + "\n"


def headline_section(title: str, kept: Kept) -> str:
    """Scenario by Kafka."""
    rows: Sequence[Row] = kept["cells"]
    kafkas = list(dict.fromkeys(row["kafka"] for row in rows))
    lines = [*head(title, kept), f"| scenario | {' | '.join(kafkas)} |"]
    lines += ["|---" * (len(kafkas) + 1) + "|"]
    for name in dict.fromkeys(row["scenario"] for row in rows):
        mine = {row["kafka"]: row for row in rows if row["scenario"] == name}
        cells = [_timed(mine[kafka]) if kafka in mine else "" for kafka in kafkas]
        lines.append(f"| {' | '.join([name, *cells])} |")
    return "\n".join([*lines, "", surprises(rows)]) + "\n"


def _timed(row: Row) -> str:
    return f"{count(row)} ({statistics.median(row['seconds']):.1f} s)"


def head(title: str, kept: Kept, beside: str = "") -> list[str]:
    command = ["```console", kept["command"], "```"]
    took = f"Played on {kept['played_on']}, in {kept['minutes']} minutes{beside}:"
    return [f"## {title}", "", took, "", *command, ""]


def counted(row: Row) -> str:
    control = f" {row['control']}" if row["control"] else ""
    return f"{row['kafka']}{control} {count(row)}"


def surprises(rows: Sequence[Row]) -> str:
    surprising = [f"{row['scenario']} on {counted(row)}" for row in rows if not row["as_expected"]]
    named = f": {', '.join(surprising)}" if surprising else ""
    return f"Cells not as expected: {len(surprising)} of {len(rows)}{named}."
