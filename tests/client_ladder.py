"""The same faults at the same moments with several clients: what is played, and its table.

A part of it plays for so many minutes; the next one goes on where that ended. Clients wait most of
the time, so that the scenarios are dealt to several shares which are played beside each other.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.counts import count

from highwater.client_ladder import buildable
from highwater.explained import explanations
from highwater.harness.foreign.programs import NAMES, OURS
from highwater.harness.scenario import plays_on
from highwater.harness.versions.catalogue import find_kafka
from highwater.reports.cells import read_cells
from highwater.reports.flips import flips
from highwater.scenarios.catalogue import scenarios

KAFKA = "4.1.1"
OLDER = ("java:2.8.2", "java:4.3.1", "confluent-kafka:2.3.0")  # besides the locked ones of all
CLIENTS = (*NAMES, *OLDER)
NOT_LINED_UP = "not lined up"  # a cell of which no trial proved anything
END_TIMEOUT_S = 120.0  # of a part that has been told to end
SHARES = 2
WHAT_BROKE = (
    "What broke, all trials of a cell together, also what is none of its scenario's claims and "
    "not counted above:"
)
RERUNS = 2

Row = Mapping[str, Any]
Explained = Mapping[str, Mapping[str, str]]


def shares(trials: int) -> list[list[str]]:
    """Of the commands that play it, with the clients that can be built here; says why the others
    are left out.
    """
    kafka = find_kafka(KAFKA)
    chosen = buildable(CLIENTS, kafka)
    names = [each.name for each in scenarios() if each.any_client and plays_on(each, kafka)]
    counts = ["-n", str(trials), "--reruns", str(RERUNS)]
    return [
        ["clients", "-k", KAFKA, *_each("-s", names[number::SHARES]), *_each("-c", chosen), *counts]
        for number in range(SHARES)
    ]


def _each(option: str, values: Sequence[str]) -> list[str]:
    return [word for value in values for word in (option, value)]


def play(commands: Mapping[Path, Sequence[str]], most_s: float | None) -> bool:
    """Play what is not in these directories yet, for so long at most; says whether it was all."""
    lines = [
        [sys.executable, "-m", "highwater.cli", *words, "-o", str(out), "--resume"]
        for out, words in commands.items()
    ]
    tables = [out / "compare.json" for out in commands]
    before = [_written_ns(table) for table in tables]
    parts = [subprocess.Popen(line) for line in lines]
    try:
        ended = have_ended(parts, most_s)
    finally:
        end_all(parts)
    # A part that has failed leaves the table of the one before.
    return ended and not {None, *before} & {_written_ns(table) for table in tables}


def have_ended(parts: Sequence[subprocess.Popen[bytes]], most_s: float | None) -> bool:
    """By themselves, in so much time."""
    ends_at = None if most_s is None else time.monotonic() + most_s
    try:
        for part in parts:
            part.wait(None if ends_at is None else max(0.0, ends_at - time.monotonic()))
    except subprocess.TimeoutExpired:
        return False
    return True


def end_all(parts: Sequence[subprocess.Popen[bytes]]) -> None:
    """All are told at once; who does not end in time is killed."""
    for part in parts:
        part.send_signal(signal.SIGINT)  # nothing is sent to one that has ended
    for part in parts:
        try:
            part.wait(END_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            part.kill()
            part.wait()


def _written_ns(table: Path) -> int | None:
    return table.stat().st_mtime_ns if table.exists() else None


def section(head: Sequence[str], rows: Sequence[Row], explained: Explained | None = None) -> str:
    """A line for each scenario, a column for each client: in how many trials a claim broke.

    A client that cannot be brought into the state that a scenario needs has not failed there.
    What is `explained` is named with its page or ticket.
    """
    known = explanations() if explained is None else explained
    clients = list(dict.fromkeys(_client(row) for row in rows))
    lines = [*head, f"| scenario | {' | '.join(clients)} |", "|---" * (len(clients) + 1) + "|"]
    for name in dict.fromkeys(row["scenario"] for row in rows):
        mine = {_client(row): row for row in rows if row["scenario"] == name}
        cells = [_counted(mine[client]) if client in mine else "" for client in clients]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    changed = flips(read_cells(rows))
    lines += ["", *(f"- {each}" for each in changed)] if changed else []
    broken = [row for row in rows if has_broken(row)]
    lines += ["", WHAT_BROKE, ""] if broken else []
    lines += [f"- {_named(row)}: {_anomalies(row)}{_why(row, known)}" for row in broken]
    lines += _unproved([row for row in rows if row["inconclusive"]])
    lines += _calm(list(dict.fromkeys(row["scenario"] for row in rows)))
    left = [client for client in CLIENTS if client not in clients]
    lines += ["", f"Not played for this table: {', '.join(left)}."] if left else []
    unclear = sum(row["inconclusive"] for row in rows)
    trials = sum(row["trials"] for row in rows)
    lines += ["", f"{trials} trials, {unclear} of them inconclusive."]
    return "\n".join(lines) + "\n"


def has_broken(row: Row) -> bool:
    return bool(row["reproduced"] or row["unexpected"])


def why(row: Row, explained: Explained) -> str | None:
    """The page or the ticket that explains what broke there."""
    return explained.get(_client(row), {}).get(row["scenario"])


def _why(row: Row, explained: Explained) -> str:
    found = why(row, explained)
    if found is None:
        return ""
    return f" ([{'page' if found.startswith('findings/') else Path(found).name}]({found}))"


def _calm(names: Sequence[str]) -> list[str]:
    """What asks the same without a fault: where that breaks as well, the fault is not to blame."""
    asked: dict[str, list[str]] = {}
    for each in scenarios():
        if each.name in names and each.calm:
            asked.setdefault(each.calm, []).append(each.name)
    told = [f"- {calm}: of {', '.join(them)}" for calm, them in sorted(asked.items())]
    return (
        ["", "The same without a fault, with the settings that decide:", "", *told] if told else []
    )


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


def _named(row: Row) -> str:
    return f"{row['scenario']}, {_client(row)}"


def _client(row: Row) -> str:
    return (row["control"] or f"client={OURS}").removeprefix("client=")


def _counted(row: Row) -> str:
    return NOT_LINED_UP if row["inconclusive"] == row["trials"] else count(row)


def _anomalies(row: Row) -> str:
    return ", ".join(f"{broken:,} of {claim}" for claim, broken in sorted(row["anomalies"].items()))
