"""What a person sees while something runs, and the tables at the end."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any

from rich.cells import cell_len
from rich.console import Console, Group, RenderableType
from rich.progress import (
    BarColumn,
    DownloadColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

from highwater.harness.lifetime import Lifetime

SYMBOLS = {"reproduced": "✗ reproduced", "clean": "✓ clean", "inconclusive": "? inconclusive"}

err = Console(stderr=True, highlight=False)
out = Console(highlight=False)


def printable(text: str) -> str:
    """As a terminal may show it: a path may have bytes that are no text, and a name escapes."""
    try:
        shown = os.fsencode(text).decode(errors="replace")
    except UnicodeEncodeError:  # half a character that is no byte of a path: JSON may have it
        shown = text
    return "".join(
        each if each.isprintable() or each == "\n" else ascii(each)[1:-1] for each in shown
    )


def say(text: str) -> None:
    """A line for whoever watches, as it is."""
    err.print(text, markup=False, soft_wrap=True)


def print_json(content: Any) -> None:
    """For machines: nothing else goes to standard output with --json."""
    sys.stdout.write(json.dumps(content, indent=2) + "\n")
    sys.stdout.flush()  # `up` prints this and then stays


class TrialProgress(Lifetime):
    """A bar with an estimate on a terminal, a line per trial elsewhere; on standard error."""

    def __init__(self) -> None:
        super().__init__()
        self._plain = not err.is_terminal
        self._done, self._total = 0, 0
        self._began_s = time.monotonic()
        self._progress = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            console=err,
            disable=self._plain,
        )
        self._task = self._progress.add_task("starting", total=None)

    def _begin(self) -> None:
        self._ending.enter_context(self._progress)

    def tell(self, text: str) -> None:
        self._progress.update(self._task, description=text)

    def expect(self, total: int) -> None:
        """So many plays are to come."""
        self._total = total
        self._progress.update(self._task, total=total)

    def advance(self, line: str) -> None:
        self._done += 1
        self._total = max(self._total, self._done)  # some are played again
        self._progress.advance(self._task)
        if self._plain:
            err.print(f"[{self._done}/{self._total}] {line}; {self._left()}", soft_wrap=True)

    def _left(self) -> str:
        left_s = (time.monotonic() - self._began_s) / self._done * (self._total - self._done)
        return f"about {left_s / 60:.0f} min left" if left_s > 90 else f"about {left_s:.0f} s left"


class DownloadProgress(Lifetime):
    """How many bytes of the jars are here."""

    def __init__(self, total_bytes: int, what: str) -> None:
        super().__init__()
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            DownloadColumn(),
            TimeRemainingColumn(),
            console=err,
            disable=not err.is_terminal,
        )
        self._task = self._progress.add_task(what, total=total_bytes)

    def _begin(self) -> None:
        self._ending.enter_context(self._progress)

    def here(self, _name: str, size_bytes: int) -> None:
        self._progress.advance(self._task, size_bytes)


def comparison(rows: Sequence[Mapping[str, Any]], flips: Sequence[str] = ()) -> Group:
    """The cells of compare.json: scenario by scenario, a row per Kafka, in columns that align; and
    where the answer flips between versions of a client.
    """
    cells = [_cells(row) for row in rows]
    widths = [max(map(cell_len, column)) for column in zip(*cells, strict=True)]
    parts: list[RenderableType] = []
    for scenario in dict.fromkeys(row["scenario"] for row in rows):
        table = Table.grid(padding=(0, 2))
        for width in widths[:2]:
            table.add_column(min_width=width, no_wrap=True)
        table.add_column(min_width=widths[2], no_wrap=True, justify="right")
        table.add_column(overflow="fold")
        for row, columns in zip(rows, cells, strict=True):
            if row["scenario"] == scenario:
                table.add_row(*columns)
        parts += [Text(""), Text(scenario, style="bold"), table]
    parts += [Text(""), *map(Text, flips)] if flips else []
    return Group(*parts)


def _cells(row: Mapping[str, Any]) -> tuple[str, str, str, str]:
    seconds = sorted(row["seconds"])
    median = f"{seconds[len(seconds) // 2]:.1f}" if seconds else "?"
    control = f" {row['control']}" if row["control"] else ""
    mark = "" if row["as_expected"] else "[bold red]NOT AS EXPECTED[/] "
    return f"  {row['kafka']}{control}", _shown(row), f"{median} s", mark + _found(row)


def _found(row: Mapping[str, Any]) -> str:
    """What the claims that the scenario is about came to."""
    found = [
        f"{claim}: {row['anomalies'][claim]}" + (f" of {row['acked']}" * (claim == "lost-write"))
        for claim in row["claims"]
        if claim in row["anomalies"]
    ]
    return ", ".join(found) or f"nothing in {row['acked']}"


def _shown(row: Mapping[str, Any]) -> str:
    counts = [(name, row[name]) for name in SYMBOLS if row[name]]
    return ", ".join(f"{SYMBOLS[name]} {count}/{row['trials']}" for name, count in counts)
