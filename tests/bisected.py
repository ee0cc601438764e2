"""Where each rung of the ladder flips, to the release: bisections, and their table for the page.

The ladder says between which two of its releases a scenario is expected to flip; these are the
ends of a bisection over all releases. The table is what was seen.
"""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from highwater.harness.versions.catalogue import ladder_kafkas, rows
from highwater.ladder import story_of
from highwater.scenarios.catalogue import scenarios

Rows = Sequence[Mapping[str, Any]]
INTRODUCTION = """## The release where each flips

Played up to {day}, {played}, by `python -m tests.results bisect`.
Of {asked} of them releases were asked as well that are not as old as their number says
([why](adr/0112-a-bisection-asks-releases-that-are-out-of-order.md)). It runs for each flip:
"""
SYMBOLS = {"fails": "✗", "holds": "✓", "unclear": "?"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Flip:
    """Two neighbours on the ladder of which a scenario is expected to fail on one."""

    scenario: str
    mode: str  # zk, kraft
    bad: str
    good: str

    @property
    def words(self) -> list[str]:
        """Of the command that bisects it."""
        ends = ["--bad", self.bad, "--good", self.good]
        return ["bisect", self.scenario, "--mode", self.mode, *ends]

    @property
    def width(self) -> int:
        """How many releases the catalogue has between the ends."""
        versions = [row.version for row in rows()]
        return abs(versions.index(self.bad) - versions.index(self.good)) - 1

    @property
    def place(self) -> str:
        return f"{self.scenario}-{self.mode}-{self.bad}-{self.good}"


def flips() -> Iterator[Flip]:
    """Of all scenarios, in both modes, oldest first."""
    for scenario in scenarios():
        for line in story_of(scenario, ladder_kafkas()):
            told = [(cell.expected, cell.kafka.version) for cell in line]
            for pair in itertools.pairwise(told):
                (one, good), (other, bad) = sorted(pair)  # clean, reproduced
                if one != other:
                    mode = line[0].kafka.suffix
                    yield Flip(scenario=scenario.name, mode=mode, bad=bad, good=good)


def play(trials: int, out: Path, most_s: float, before: Rows = ()) -> None:
    """Bisect what is not in `out` yet; none is begun when `most_s` have passed.

    What was not found `before` comes first, and then the widest: where the ladder's releases are
    neighbours there is nothing to find.
    """
    began, known = time.monotonic(), {row["command"] for row in before if row["last"]}
    for flip in sorted(flips(), key=lambda flip: (" ".join(flip.words) in known, -flip.width)):
        if time.monotonic() - began > most_s:
            break
        if not _done(out / flip.place):
            words = [*flip.words, "-n", str(trials), "-o", str(out / flip.place), "--resume"]
            subprocess.run([sys.executable, "-m", "highwater.cli", *words], check=False)


def _done(place: Path) -> bool:
    """Whatever is out of order was asked as well."""
    stored = place / "bisect.json"
    found = json.loads(stored.read_text()) if stored.exists() else {}
    return found.get("is_over") is True


def kept(trials: int, out: Path, before: Rows = ()) -> dict[str, Any]:
    """What the page needs of all of them; what is not in `out` is as it was `before`."""
    known = {row["command"]: row for row in before}
    rows = [_row(flip, out / flip.place / "bisect.json") for flip in flips()]
    return {
        "trials": trials,
        "played_on": datetime.now(UTC).date().isoformat(),
        "flips": [row if row["last"] else known.get(row["command"], row) for row in rows],
    }


def _row(flip: Flip, stored: Path) -> dict[str, Any]:
    found: Mapping[str, Any] = json.loads(stored.read_text()) if stored.exists() else {}
    names = ("tried", "last", "first", "first_answer", "unclear")
    said = {"scenario": flip.scenario, "mode": flip.mode, "command": " ".join(flip.words)}
    further = found.get("further") if found.get("is_over") else None  # None: it was not asked
    return said | {name: found.get(name) for name in names} | {"further": further}


def every_flip(rows: Rows) -> list[dict[str, Any]]:
    """Of all these bisections, each once: one may have found several, and others one of them."""
    done = [row for row in rows if row["last"]]
    once: dict[tuple[str, ...], dict[str, Any]] = {}
    for found in (*done, *({**row, **flip} for row in done for flip in row["further"] or ())):
        names = (found[each] for each in ("scenario", "mode", "last", "first"))
        once.setdefault(tuple(names), dict(found))
    places = {row["command"]: place for place, row in enumerate(rows)}
    return sorted(once.values(), key=lambda found: places[found["command"]])


def section(found: Mapping[str, Any]) -> str:
    """A line per flip: between which neighbours it is, and what was played to find it."""
    wanted: Sequence[Mapping[str, Any]] = found["flips"]
    done = [row for row in wanted if row["last"]]
    command = f"highwater bisect SCENARIO --mode MODE --bad V --good V -n {found['trials']}"
    asked = sum(row["further"] is not None for row in done)
    played = f"{len(done)} of {len(wanted)} flips of the ladder"
    lines = [INTRODUCTION.format(day=found["played_on"], played=played, asked=asked)]
    lines += ["```console", command, "```", ""]
    lines += ["| scenario | metadata | last before | first after | played |", "|---" * 5 + "|"]
    for row in every_flip(done):
        was = "holds" if row["first_answer"] == "fails" else "fails"
        last, first = f"{row['last']} {was}", f"{row['first']} {row['first_answer']}"
        tried = ", ".join(_tried(each) for each in row["tried"])
        lines.append(f"| {row['scenario']} | {row['mode']} | {last} | {first} | {tried} |")
    lines += ["", *_remarks(wanted)]
    return "\n".join(lines) + "\n"


def _tried(step: Mapping[str, Any]) -> str:
    trials = step["failed"] + step["held"] + step["inconclusive"]
    unclear = f" ?{step['inconclusive']}" if step["inconclusive"] else ""
    return f"{step['kafka']} {SYMBOLS[step['answer']]} {step['failed']}/{trials}{unclear}"


def _remarks(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    unclear = [row for row in every_flip(rows) if row["unclear"]]
    left = [f"`highwater {row['command']}`" for row in rows if not row["last"]]
    told = [
        f"{row['scenario']}: nothing could be told of {', '.join(row['unclear'])}."
        for row in unclear
    ]
    return [*told, *([f"Not run, or not to its end: {', '.join(left)}."] if left else [])]
