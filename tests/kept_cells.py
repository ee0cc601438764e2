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


def put_together(outs: Sequence[Path]) -> None:
    """Whole ladders that were played one after the other; each cell has the trials of all."""
    tables = [_cells_in(out) for out in outs]
    words = [" ".join(["highwater", *whole_ladder.words(_trials(rows))]) for rows in tables]
    minutes = [f"{sum(whole_ladder.sat_s(out)) / 60:.0f}" for out in outs]
    _write("ladder", "\n".join(words), " and ".join(minutes), told_together(tables))


def _trials(rows: Sequence[Row]) -> int:
    return min(int(row["trials"]) for row in rows)
