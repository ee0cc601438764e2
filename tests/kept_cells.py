"""What the pages need of comparisons, without the runs themselves, in docs/results/*.json."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests import whole_ladder
from tests.told_together import told_together

KEPT = Path(__file__).parents[1] / "docs" / "results"
LEFT_OUT = frozenset({"runs", "measures"})  # of a row

Row = Mapping[str, Any]


def keep(name: str, played: Mapping[Path, Sequence[str]], seconds: float = 0.0) -> None:
    """What the page needs of comparisons: their directories, and the words that played them.

    Without `seconds`, as they may have been played in parts, all of their trials are counted.
    """
    cells = [cell for out in played for cell in _cells_in(out)]
    command = "\n".join(" ".join(["highwater", *words]) for words in played.values())
    _write(name, command, str(round((seconds or sum(seconds_of(cells))) / 60)), cells)


def _write(name: str, command: str, minutes: str, cells: Sequence[Row]) -> None:
    kept = {
        "command": command,
        "played_on": datetime.now(UTC).date().isoformat(),
        "minutes": minutes,
        "cells": [{key: row[key] for key in row if key not in LEFT_OUT} for row in cells],
    }
    KEPT.mkdir(exist_ok=True)
    (KEPT / f"{name}.json").write_text(json.dumps(kept, indent=1) + "\n")


def seconds_of(rows: Sequence[Row]) -> list[float]:
    """Of all their trials."""
    return [seconds for row in rows for seconds in row["seconds"]]


def _cells_in(out: Path) -> list[dict[str, Any]]:
    """Without the directory that one machine had them in, which reasons may name."""
    told = (out / "compare.json").read_text().replace(f"{out.resolve()}/", "")
    return list(json.loads(told)["cells"])


def put_together(outs: Sequence[Path], anew: Sequence[Path] = ()) -> None:
    """Whole ladders that were played one after the other; each cell has the trials of all.

    Of scenarios that were written or changed since, the cells in `anew` alone are told.
    """
    tables = [_cells_in(out) for out in (*outs, *anew)]
    whole = told_together(tables[: len(outs)])
    changed = [row for rows in tables[len(outs) :] for row in rows]
    names = {row["scenario"] for row in changed}
    cells = [*(row for row in whole if row["scenario"] not in names), *changed]
    words = [" ".join(["highwater", *_words(rows, tables[0])]) for rows in tables]
    minutes = [f"{_sat_s(*each) / 60:.0f}" for each in zip((*outs, *anew), tables, strict=True)]
    told = sorted(cells, key=lambda row: str(row["scenario"]))
    _write("ladder", "\n".join(words), " and ".join(minutes), told)


def _words(rows: Sequence[Row], whole: Sequence[Row]) -> list[str]:
    """What played them; of a ladder that is not whole the scenarios are named."""
    names = list(dict.fromkeys(str(row["scenario"]) for row in rows))
    every = {row["scenario"] for row in whole}
    named = [] if every <= {*names} else [word for name in names for word in ("-s", name)]
    return [*whole_ladder.words(_trials(rows)), *named]


def _sat_s(out: Path, rows: Sequence[Row]) -> float:
    """Seconds; of who was not told how long they sat, of all trials."""
    return sum(whole_ladder.sat_s(out)) or sum(seconds_of(rows))


def _trials(rows: Sequence[Row]) -> int:
    return min(int(row["trials"]) for row in rows)
