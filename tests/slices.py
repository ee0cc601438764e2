"""The long tests are dealt into slices; a run plays one, and as many commits in a row play all.

`python -m tests.slices` shows the slices. `python -m tests.slices keep LOG...` takes over what the
logs of runs say about how long each test took. Nothing here asks which tests were collected: a
slice of a part of the tests is a part of that slice.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
DURATIONS = Path(__file__).with_name("durations.json")
SLICES = 86
LONGEST_S = 280.0  # of a slice, with brokers or beside them: what is left of half an hour

# `make test` plays these beside the others, as they start no Kafka.
BESIDE = ("tests/unit/", "tests/tidy/", "tests/model/", "tests/checkers/", "tests/browser/")

TOOK = "{seconds:7.1f} s for {unit}"
SAID = re.compile(r"(?<!\S)(\d+\.\d) s for (tests/.+?) *$", re.MULTILINE)

Durations = Mapping[str, float]  # seconds, by unit: a long test, or several that share a cluster


@dataclass(frozen=True, slots=True)
class Slice:
    """One of so many; the first is number 1."""

    number: int
    of: int

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"


def parse(text: str) -> Slice:
    """Raises ValueError for what is no slice such as 3/20."""
    found = re.fullmatch(r"(\d+)/(\d+)", text)
    if not found or not 1 <= int(found[1]) <= int(found[2]):
        raise ValueError(f"{text!r} is no slice: 3/20 is the third of twenty")
    return Slice(int(found[1]), int(found[2]))


def chosen_by_commit(git: Callable[..., str]) -> tuple[Slice, str]:
    """The slice whose turn it is at the commit that is checked out, and why.

    Commits are counted along first parents, where each is one more than the one before, merge or
    not. A shallow clone cannot count; there the commit's hash decides, and turns are by chance.
    `git` gives the output of a git command; raises OSError where there is no repository.
    """
    if git("rev-parse", "--is-shallow-repository") == "true":
        commit = git("rev-parse", "HEAD")
        why = f"the hash of commit {commit[:10]} of a shallow clone modulo {SLICES}"
        return Slice(1 + int(commit, 16) % SLICES, SLICES), why
    count = int(git("rev-list", "--count", "--first-parent", "HEAD"))
    return Slice(1 + count % SLICES, SLICES), f"commit number {count} modulo {SLICES}"


def git(*words: str) -> str:
    """What git says here; raises OSError when it fails."""
    done = subprocess.run(
        ["git", *words], cwd=ROOT, capture_output=True, text=True, check=False, timeout=60
    )
    if done.returncode:
        raise OSError(f"git {' '.join(words)}: {done.stderr.strip()}")
    return done.stdout.strip()


def read(path: Path = DURATIONS) -> dict[str, float]:
    """How long each unit takes, measured or estimated."""
    kept = json.loads(path.read_text(encoding="utf-8"))
    return {**kept["estimated"], **kept["measured"]}


def dealt(durations: Durations, slices: int) -> dict[str, int]:
    """The slice of each unit: longest first, each to the slice that has least.

    Those with brokers are dealt before the others, so that each kind is balanced by itself.
    """
    filled = dict.fromkeys(range(1, slices + 1), 0.0)
    found = {}
    for unit in sorted(
        durations, key=lambda unit: (unit.startswith(BESIDE), -durations[unit], unit)
    ):
        found[unit] = min(filled, key=filled.__getitem__)
        filled[found[unit]] += durations[unit]
    return found


def number_of(unit: str, known: Mapping[str, int], slices: int) -> int:
    """The slice that plays this unit; of an unknown one its name decides."""
    return known[unit] if unit in known else 1 + zlib.crc32(unit.encode()) % slices


def keep(logs: Iterable[str], path: Path = DURATIONS) -> None:
    """Takes over what whole units took; of several times in these logs the longest.

    What took less than a second was skipped, and says nothing.
    """
    kept = json.loads(path.read_text(encoding="utf-8"))
    said: dict[str, float] = {}
    for log in logs:
        for seconds, unit in SAID.findall(log):
            if float(seconds) >= 1:
                said[unit] = max(float(seconds), said.get(unit, 0.0))
    measured = {**kept["measured"], **said}
    left = {unit: each for unit, each in kept["estimated"].items() if unit not in measured}
    content = {"measured": dict(sorted(measured.items())), "estimated": dict(sorted(left.items()))}
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def shown(durations: Durations, slices: int = SLICES) -> str:
    """Every slice with its units, as text."""
    places, lines = dealt(durations, slices), []
    for number in range(1, slices + 1):
        mine = {unit: durations[unit] for unit, place in places.items() if place == number}
        beside = sum(seconds for unit, seconds in mine.items() if unit.startswith(BESIDE))
        brokers = sum(mine.values()) - beside
        lines.append(
            f"slice {number}/{slices}: {brokers:.0f} s with brokers, {beside:.0f} s beside them"
        )
        lines += [TOOK.format(seconds=seconds, unit=unit) for unit, seconds in mine.items()]
    return "\n".join(lines)


def main() -> None:
    match sys.argv[1:]:
        case []:
            print(shown(read()))
        case ["keep", *logs] if logs:
            keep(Path(log).read_text(encoding="utf-8", errors="replace") for log in logs)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
