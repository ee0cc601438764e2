"""What a search writes down as it goes on, and learns again: the directory of `explore --out`."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from highwater.exploration.findings import Finding
from highwater.exploration.rounds import Round
from highwater.exploration.steps import Taken
from highwater.harness.errors import InfrastructureError, UsageError, in_words
from highwater.harness.record.files import json_text, write_first
from highwater.reports.forms import Form, is_count, is_number, several
from highwater.workshop import contents, directory_of

SEARCH = "search.json"


def _is_text(told: object) -> bool:
    return isinstance(told, str)


def _is_place(told: object) -> bool:
    return is_count(told) and told != 0


FORMS: Mapping[str, tuple[Form, str]] = {  # of a row, in words
    "number": (_is_place, "a whole number from 1 on"),
    "by": (_is_text, "a text"),
    "claims": (several(_is_text), "a list of names"),
    "told": (_is_text, "a text"),
    "settled": (lambda told: type(told) is bool, "true or false"),
    "danger": (is_count, "a whole number"),
    "news": (is_count, "a whole number"),
    "seconds": (is_number, "a number"),
    "resident_mib": (is_number, "a number"),
    "failures": (several(_is_text), "a list of texts"),
    "steps": (lambda told: isinstance(told, list), "a list"),
}
MAY_LACK = ("by", "danger", "news", "resident_mib", "failures")  # nobody learns from these


@dataclass(frozen=True, slots=True)
class Part:
    """One of several searches into one directory, which plays each so many-th schedule."""

    place: int = 1
    of: int = 1

    @property
    def suffix(self) -> str:
        """Of the names of its files."""
        return f"-{self.place}of{self.of}" if self.of > 1 else ""

    @property
    def log(self) -> str:
        return f"rounds{self.suffix}.jsonl"


WHOLE = Part()


def open_search(out: Path | None, told: Mapping[str, Any], part: Part = WHOLE) -> Path:
    """The directory of a new search, or of one that this is the same as, or a part of.

    Raises UsageError for what cannot be written to, holds something else, another search, or one in
    other parts. Of two that would deal schedules in different ways, and begin at one moment, both
    may be refused.
    """
    directory = directory_of(out, used=True)
    known = directory / SEARCH
    held = contents(directory)
    if SEARCH not in held and held:
        raise UsageError(f"{directory} holds {min(held)}, and no search; choose another --out")
    log = directory / part.log
    try:
        write_first(known, json_text(dict(told)))  # another part may begin at this moment
        _require_told(known, told)
        log.touch()  # the next one sees from now on how schedules are dealt
    except OSError as error:
        raise UsageError(f"{directory} cannot be written to: {error.strerror}") from error
    try:
        _require_same_parts(directory, part)
    except UsageError:
        if not log.stat().st_size:
            log.unlink()
        raise
    _end_last_line(log)
    return directory


def _require_same_parts(directory: Path, part: Part) -> None:
    """Raises UsageError where schedules of this one were dealt otherwise before."""
    mine = {Part(place, part.of).log for place in range(1, part.of + 1)}
    others = sorted(path.name for path in directory.glob("rounds*.jsonl") if path.name not in mine)
    if others:
        raise UsageError(
            f"{directory} holds {others[0]}, of a search in other parts: schedules would be played "
            "twice; go on with the --shard that it was begun with, or choose another --out"
        )


def require_same(directory: Path, told: Mapping[str, Any], part: Part = WHOLE) -> None:
    """Raises UsageError for a directory that has no log of this search, or one with other rows."""
    log = directory / part.log
    if not (directory / SEARCH).exists() or not log.exists() or not log.stat().st_size:
        raise UsageError(f"{directory} has no {SEARCH} and {part.log} of a search")
    _require_told(directory / SEARCH, told)
    deque(read_log(directory / part.log), maxlen=0)


def _require_told(known: Path, told: Mapping[str, Any]) -> None:
    try:
        before = json.loads(known.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(f"{known} cannot be read: {error}") from error
    if before != dict(told):
        raise UsageError(f"{known.parent} holds another search, {before}, not {dict(told)}")


def _end_last_line(log: Path) -> None:
    """What was cut short is a line of its own, and no part of the next one.

    Raises UsageError for a log that cannot be written to.
    """
    if not log.exists():
        return
    try:
        with log.open("ab") as lines:
            if log.read_bytes()[-1:] not in {b"", b"\n"}:
                lines.write(b"\n")
    except OSError as error:
        raise UsageError(f"{log} cannot be written to: {error.strerror}") from error


def append(out: Path, row: Mapping[str, Any], part: Part = WHOLE) -> None:
    """Raises InfrastructureError where there is no room, or no leave."""
    log = out / part.log
    try:
        with log.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps(row) + "\n")
    except OSError as error:
        raise InfrastructureError(f"{log} cannot be written to: {error.strerror}") from error


def row_of(number: int, told: Round, news: int, mib: float) -> dict[str, Any]:
    """A line of the log: what was done, what it came to, and the memory of who writes it."""
    return {
        "number": number,
        "by": told.by,
        "claims": list(told.finding.claims),
        "told": told.finding.told,
        "settled": told.finding.is_settled,
        "danger": told.danger,
        "news": news,
        "seconds": round(told.seconds, 3),
        "resident_mib": mib,
        "failures": list(told.failures),
        "steps": [each.to_json() for each in told.taken],
    }


def logs_beside(out: Path, part: Part) -> list[Path]:
    """What the other parts have played so far."""
    return sorted(path for path in out.glob("rounds*.jsonl") if path.name != part.log)


def read_log(path: Path) -> Iterator[tuple[int, Round]]:
    """The schedules by number, none where nothing is yet; a line that was cut short is left out.

    Raises UsageError for a line that tells of no schedule, or a log that cannot be read.
    """
    if not path.exists():
        return
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    for place, line in enumerate(content.splitlines(), start=1):
        try:
            yield _round_of(json.loads(line))
        except (json.JSONDecodeError, UnicodeDecodeError):
            continue
        except (UsageError, ValueError, RecursionError) as error:
            why = in_words(error)
            raise UsageError(f"line {place} of {path} is of no schedule: {why}") from error


def _round_of(row: Any) -> tuple[int, Round]:
    """Its number, and how it went; raises UsageError for what is not as `row_of` has it."""
    if not isinstance(row, dict):
        raise UsageError(f"expected an object, saw {row!r:.80}")
    for name, (form, words) in FORMS.items():
        if (name in row or name not in MAY_LACK) and not form(row.get(name)):
            raise UsageError(f"expected {name} to be {words}, saw {row.get(name)!r:.80}")
    finding = Finding(tuple(row["claims"]), row["told"], row["settled"])
    taken = [Taken.from_json(each) for each in row["steps"]]
    told = Round(taken=taken, finding=finding, by=row.get("by", ""), seconds=row["seconds"])
    return row["number"], told
