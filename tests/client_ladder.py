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

from tests.counts import count

from highwater.client_ladder import buildable
from highwater.harness.foreign.programs import NAMES, OURS
from highwater.harness.versions.catalogue import find_kafka

KAFKA = "4.1.1"
OLDER = ("java:2.8.2", "java:4.3.1")  # besides the locked ones of all
CLIENTS = (*NAMES, *OLDER)
NOT_LINED_UP = "not lined up"  # a cell of which no trial proved anything
END_TIMEOUT_S = 60.0  # of a part that has been told to end

Row = Mapping[str, Any]


def words(trials: int) -> list[str]:
    """Of the command that plays it, with the clients that can be built here; says why the others
    are left out.
    """
    chosen = [word for name in buildable(CLIENTS, find_kafka(KAFKA)) for word in ("-c", name)]
    return ["clients", "-k", KAFKA, *chosen, "-n", str(trials)]


def play(chosen: Sequence[str], out: Path, most_s: float | None) -> bool:
    """Play what is not in `out` yet, for so long at most; says whether that was all."""
    line = [sys.executable, "-m", "highwater.cli", *chosen, "-o", str(out), "--resume"]
    part = subprocess.Popen(line)
    try:
        part.wait(most_s)
    except subprocess.TimeoutExpired:
        part.send_signal(signal.SIGINT)
        part.wait(END_TIMEOUT_S)
        return False
    return (out / "compare.json").exists()


def section(head: Sequence[str], rows: Sequence[Row]) -> str:
    """A line for each scenario, a column for each client: in how many trials a claim broke.

    A client that cannot be brought into the state that a scenario needs has not failed there.
    """
    clients = list(dict.fromkeys(_client(row) for row in rows))
    lines = [*head, f"| scenario | {' | '.join(clients)} |", "|---" * (len(clients) + 1) + "|"]
    for name in dict.fromkeys(row["scenario"] for row in rows):
        mine = {_client(row): row for row in rows if row["scenario"] == name}
        cells = [_counted(mine[client]) if client in mine else "" for client in clients]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    broken = [row for row in rows if row["reproduced"] or row["unexpected"]]
    lines += ["", "What broke, all trials of a cell together:", ""] if broken else []
    lines += [f"- {row['scenario']}, {_client(row)}: {_anomalies(row)}" for row in broken]
    lines += _unproved([row for row in rows if row["inconclusive"]])
    left = [client for client in CLIENTS if client not in clients]
    lines += ["", f"Not played for this table: {', '.join(left)}."] if left else []
    unclear = sum(row["inconclusive"] for row in rows)
    trials = sum(row["trials"] for row in rows)
    lines += ["", f"{trials} trials, {unclear} of them inconclusive."]
    return "\n".join(lines) + "\n"


def _unproved(rows: Sequence[Row]) -> list[str]:
    """Who could not be lined up where, and the reason; those with the same one share a line."""
    alike: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        for why in dict.fromkeys(map(_shortened, row["reasons"])):
            alike.setdefault((row["scenario"], why), []).append(_client(row))
    told = [f"- {name}, {', '.join(them)}: {why}" for (name, why), them in alike.items()]
    about = (
        f"Where it says *{NOT_LINED_UP}*, a client could not be brought into the state that the "
        "scenario needs: that is no failure of the client, and what befell it there is not counted."
    )
    return ["", about, "", *told] if told else []


def _shortened(reason: str) -> str:
    """Without what was seen of the replicas and of the gate."""
    return reason.partition("; ")[0]


def _client(row: Row) -> str:
    return (row["control"] or f"client={OURS}").removeprefix("client=")


def _counted(row: Row) -> str:
    return NOT_LINED_UP if row["inconclusive"] == row["trials"] else count(row)


def _anomalies(row: Row) -> str:
    return ", ".join(f"{broken:,} of {claim}" for claim, broken in sorted(row["anomalies"].items()))
