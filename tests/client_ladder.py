"""The same faults at the same moments with several clients: what is played, and its table.

A part of it plays for so many minutes; the next one goes on where that ended.
"""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from highwater.harness.foreign.programs import NAMES, OURS

KAFKA = "4.1.1"
OLDER = ("java:2.8.2", "java:4.3.1")  # besides the locked ones of all
CLIENTS = (*NAMES, *OLDER)
END_TIMEOUT_S = 60.0  # of a part that has been told to end

Row = Mapping[str, Any]


def words(trials: int) -> list[str]:
    """Of the command that plays it."""
    chosen = [word for name in CLIENTS for word in ("-c", name)]
    return ["clients", "-k", KAFKA, *chosen, "-n", str(trials)]


def play(trials: int, out: Path, most_s: float | None) -> bool:
    """Play what is not in `out` yet, for so long at most; says whether that was all."""
    line = [sys.executable, "-m", "highwater.cli", *words(trials), "-o", str(out), "--resume"]
    part = subprocess.Popen(line)
    try:
        part.wait(most_s)
    except subprocess.TimeoutExpired:
        part.send_signal(signal.SIGINT)
        part.wait(END_TIMEOUT_S)
        return False
    return (out / "compare.json").exists()


def section(head: Sequence[str], rows: Sequence[Row]) -> str:
    """A line for each scenario, a column for each client: in how many trials a claim broke."""
    clients = list(dict.fromkeys(_client(row) for row in rows))
    lines = [*head, f"| scenario | {' | '.join(clients)} |", "|---" * (len(clients) + 1) + "|"]
    for name in dict.fromkeys(row["scenario"] for row in rows):
        mine = {_client(row): row for row in rows if row["scenario"] == name}
        cells = [_counted(mine[client]) if client in mine else "" for client in clients]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    broken = [row for row in rows if row["anomalies"]]
    lines += ["", "What broke, all trials of a cell together:", ""] if broken else []
    lines += [f"- {row['scenario']}, {_client(row)}: {_anomalies(row)}" for row in broken]
    unclear = sum(row["inconclusive"] for row in rows)
    trials = sum(row["trials"] for row in rows)
    lines += ["", f"{trials} trials, {unclear} of them inconclusive."]
    return "\n".join(lines) + "\n"


def _client(row: Row) -> str:
    return (row["control"] or f"client={OURS}").removeprefix("client=")


def _counted(row: Row) -> str:
    unclear = f" ?{row['inconclusive']}" if row["inconclusive"] else ""
    return f"{row['reproduced']}/{row['trials']}{unclear}"


def _anomalies(row: Row) -> str:
    return ", ".join(f"{count:,} of {claim}" for claim, count in sorted(row["anomalies"].items()))
