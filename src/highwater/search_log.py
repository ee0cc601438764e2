"""What a search writes down as it goes on, and learns again: the directory of `explore --out`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from highwater.exploration.rounds import Round
from highwater.exploration.steps import Taken
from highwater.exploration.views import Finding
from highwater.harness.errors import UsageError
from highwater.harness.record.files import write_json
from highwater.playing import directory_of

SEARCH, LOG = "search.json", "rounds.jsonl"


def open_search(out: Path | None, told: Mapping[str, Any]) -> Path:
    """The directory of a new search, or of one that this is the same as.

    Raises UsageError for what cannot be written to, holds something else, or another search.
    """
    directory = directory_of(out, used=True)
    known = directory / SEARCH
    if not known.exists():
        held = sorted(path.name for path in directory.iterdir())
        if held:
            raise UsageError(f"{directory} holds {held[0]}, and no search; choose another --out")
        write_json(known, dict(told))
        return directory
    try:
        before = json.loads(known.read_text(encoding="utf-8"))
    except ValueError as error:
        raise UsageError(f"{known} cannot be read: {error}") from error
    if before != dict(told):
        raise UsageError(f"{directory} holds another search, {before}, not {dict(told)}")
    _end_last_line(directory / LOG)
    return directory


def _end_last_line(log: Path) -> None:
    """What was cut short is a line of its own, and no part of the next one."""
    if log.exists() and log.read_bytes()[-1:] not in {b"", b"\n"}:
        with log.open("ab") as lines:
            lines.write(b"\n")


def append(out: Path, row: Mapping[str, Any]) -> None:
    with (out / LOG).open("a", encoding="utf-8") as lines:
        lines.write(json.dumps(row) + "\n")


def row_of(number: int, told: Round, news: int) -> dict[str, Any]:
    """A line of the log: what was done, and what it came to."""
    return {
        "number": number,
        "by": told.by,
        "claims": list(told.finding.claims),
        "told": told.finding.told,
        "settled": told.finding.is_settled,
        "danger": told.danger,
        "news": news,
        "seconds": round(told.seconds, 3),
        "failures": list(told.failures),
        "steps": [each.to_json() for each in told.taken],
    }


def read_log(out: Path) -> Iterator[tuple[int, Round]]:
    """The schedules by number; a line that was cut short is left out.

    Raises UsageError for a line that tells of no schedule.
    """
    path = out / LOG
    if not path.exists():
        return
    for place, line in enumerate(path.read_bytes().splitlines(), start=1):
        try:
            row = json.loads(line)
        except ValueError:
            continue
        try:
            finding = Finding(tuple(row["claims"]), row["told"], row["settled"])
            taken = [Taken.from_json(each) for each in row["steps"]]
            told = Round(taken=taken, finding=finding, by=row["by"], seconds=row["seconds"])
            yield int(row["number"]), told
        except (LookupError, TypeError, ValueError) as error:
            raise UsageError(f"line {place} of {path} is of no schedule: {error!r}") from error
