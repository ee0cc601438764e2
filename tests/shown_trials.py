"""How the chaos tests that docs/articles.md names end, several times on an old, a middle and a new
Kafka: `python -m tests.results shown [TRIALS] [OUT]`.

A play of one Kafka is a pytest with all of them; what stands in OUT is not played again, and no
test that is kept, as it stands on its page now, with as many trials.
`python -m tests.shown_trials PAGE::TEST [KAFKA...]` plays one of them once, and tells how it ended.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests import articles_page, shown
from tests.kept_cells import KEPT

from highwater.harness.errors import InfrastructureError, UsageError
from highwater.harness.record.files import write_json
from highwater.harness.versions.catalogue import find_kafka, ladder_kafkas

NAME = "shown.json"
BLOCKS = "blocks.json"  # beside what was told in a play: which these were
PATIENCE_S = 1800

# By test and Kafka: ended as said, of how many, of which so many proved nothing.
Counts = Mapping[str, Mapping[str, Sequence[int]]]


def named() -> list[str]:
    """The tests on pages that statements name, as `page::test`."""
    every = [test for each in articles_page.statements() for test in each.get("tests", ())]
    return [each for each in dict.fromkeys(every) if each.partition("::")[0].endswith(".md")]


def kafkas_of(block: str) -> list[str]:
    """An old one, one in the middle and a new one of those that the test is for."""
    able = [each.name for each in ladder_kafkas() if shown.suits(block, each.version)]
    return list(dict.fromkeys((able[0], able[len(able) // 2], able[-1])))


def blocks() -> dict[str, str]:
    """What the pages show, by the test that a statement names."""
    found = {}
    for test in named():
        page, _, name = test.partition("::")
        for block in shown.blocks([shown.ROOT / page]):
            if name in shown.tests_of(block):
                found[test] = block
    return found


def play(trials: int, out: Path) -> None:
    """Each Kafka so often, with all tests that are for it and are not kept; kept when all has been
    played.
    """
    whole_pages = blocks()
    before = kept() if (KEPT / NAME).exists() else {}
    before = {
        test: told
        for test, told in before.items()
        if is_of(told, whole_pages.get(test, "")) and trials_of(told) >= trials
    }
    every = {test: block for test, block in whole_pages.items() if test not in before}
    for kafka in dict.fromkeys(name for block in every.values() for name in kafkas_of(block)):
        mine = list(dict.fromkeys(b for b in every.values() if kafka in kafkas_of(b)))
        for trial in range(1, trials + 1):
            place = out / kafka / str(trial)
            if not _has(place, mine):
                shutil.rmtree(place, ignore_errors=True)  # what an interrupted play has left
                place.mkdir(parents=True)
                told = shown.played(place, ["--kafka", kafka], PATIENCE_S, mine)
                write_json(place / "told.json", whole(told, mine))
                write_json(place / BLOCKS, [digest(block) for block in mine])
    today = datetime.now(UTC).date().isoformat()
    anew = {
        test: {"played_on": today, "block": digest(every[test]), "ended": told}
        for test, told in counts(out, every, trials).items()
    }
    write_json(KEPT / NAME, {"tests": before | anew})


def _has(place: Path, mine: Sequence[str]) -> bool:
    """Whether all of these were played there, as they stand now."""
    played = place / BLOCKS
    return played.exists() and {digest(each) for each in mine} <= {*json.loads(played.read_text())}


def kept() -> Mapping[str, Any]:
    """By test when it was played, which block of its page that was, and how it ended."""
    told: dict[str, Any] = json.loads((KEPT / NAME).read_text(encoding="utf-8"))["tests"]
    return told


def digest(block: str) -> str:
    """By which a block is known, and how it is to end: what was kept of another tells nothing."""
    ends = {name: shown.VIOLATES.get(name, []) for name in shown.tests_of(block)}
    return hashlib.sha256(f"{block}{json.dumps(ends)}".encode()).hexdigest()[:12]


def is_of(told: Mapping[str, Any], block: str) -> bool:
    """Whether what is kept was played as the page stands now, where it would be played now."""
    return told["block"] == digest(block) and [*told["ended"]] == kafkas_of(block)


def trials_of(told: Mapping[str, Any]) -> int:
    """On each Kafka, those left out that proved nothing."""
    return min((times - unclear for _, times, unclear in told["ended"].values()), default=0)


def whole(told: Mapping[str, dict[str, Any]], mine: Sequence[str]) -> Mapping[str, shown.End]:
    """How each test of these blocks has ended.

    Raises InfrastructureError where one is missing, as of a play that was interrupted.
    """
    if left := [each for block in mine for each in shown.tests_of(block) if each not in told]:
        raise InfrastructureError(f"expected the end of {', '.join(left)}, saw a report without")
    return {name: shown.seen(each) for name, each in told.items()}


def counts(out: Path, every: Mapping[str, str], trials: int) -> Counts:
    """In how many plays each test ended as its page says, and how many proved nothing."""
    found: dict[str, dict[str, Sequence[int]]] = {}
    for test, block in every.items():
        name = test.partition("::")[2]
        for kafka in kafkas_of(block):
            places = [out / kafka / str(trial) / "told.json" for trial in range(1, trials + 1)]
            told: list[Any] = [json.loads(each.read_text())[name] for each in places]
            ends = [end for end in told if end[0] != "inconclusive"]
            well = sum(end == wanted(name, kafka, block) for end in ends)
            found.setdefault(test, {})[kafka] = [well, len(told), len(told) - len(ends)]
    return found


def play_one(test: str, kafkas: Sequence[str], out: Path) -> Iterator[str]:
    """Of `blocks`, once on each, or on those of `kafkas_of`: how it ended, and where its report is.

    Raises UsageError for a test that no statement names, and for no Kafka, before any is played.
    """
    every = blocks()
    if test not in every:
        raise UsageError(f"expected one of {', '.join(every)}, saw {test or 'none'}")
    block, name = every[test], test.partition("::")[2]
    for kafka in dict.fromkeys(find_kafka(each).name for each in kafkas or kafkas_of(block)):
        (place := out / kafka).mkdir(parents=True)
        told = shown.played(place, ["--kafka", kafka], PATIENCE_S, [block])
        outcome, violated = shown.seen(told[name])
        said = "as its page says" if [outcome, violated] == wanted(name, kafka, block) else "not so"
        claims = f", violated: {', '.join(violated)}" if violated else ""
        yield f"{kafka}: {outcome}{claims} ({said}); {place / 'report' / 'report.html'}"


def wanted(name: str, kafka: str, block: str) -> list[Any]:
    """How a test ends, by its page."""
    return [*shown.expected(kafka, [block])[name]]


def main() -> None:
    test, *kafkas = sys.argv[1:] or [""]
    stamp = datetime.now(UTC).strftime("shown-%Y%m%d-%H%M%S")
    try:
        for line in play_one(test, kafkas, Path("highwater-runs", stamp).resolve()):
            print(line, flush=True)
    except UsageError as error:
        raise SystemExit(f"python -m tests.shown_trials PAGE::TEST [KAFKA...]: {error}") from error


if __name__ == "__main__":
    main()
