"""What became of tests, or cells of a comparison, from session to session."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple

from highwater.reports.wording import counted

MOST_SESSIONS = 60  # on the page: the latest
BAD = ("failed", "inconclusive", "error")  # of tests; of a cell whatever is not as expected
PROVES_NOTHING = frozenset({"inconclusive", "error", "skipped"})
PLAYED_AGAIN = "played again, for the environment had failed"


class Subject(NamedTuple):
    """What was played again and again: a test, or a scenario, on one Kafka."""

    name: str
    kafka: str  # perhaps with a control
    backend: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What one session says of one subject, in all its trials."""

    outcomes: Mapping[str, int]  # word -> trials, the word that counts first
    is_bad: bool
    seconds: float  # a trial, the median
    reason: str = ""
    place: str = ""  # its id in the page of the session
    again: bool = False  # some trial was played more than once
    measures: Mapping[str, float | None] = field(default_factory=dict)  # None: it never came

    @property
    def word(self) -> str:
        return next(iter(self.outcomes))

    @property
    def trials(self) -> int:
        return sum(self.outcomes.values())

    @property
    def conclusive(self) -> frozenset[str]:
        return frozenset(self.outcomes) - PROVES_NOTHING


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One suite.json, or compare.json."""

    name: str  # its directory, below that of the page
    kind: str  # of its subjects: test or cell
    page: str  # where its own page is, relative; "" for none
    started_at: str  # ISO 8601; "" where nothing says when
    circumstances: Mapping[str, str]  # tool, Java
    results: Mapping[Subject, Result]

    @property
    def order(self) -> tuple[str, str]:
        """By time; those that say none come first, by name."""
        return self.started_at, self.name

    @property
    def when(self) -> str:
        return self.started_at[:16].replace("T", " ")


@dataclass(frozen=True, slots=True)
class Cell:
    """One subject in one session; `flaky` says why it is, "" if it is not."""

    result: Result
    page: str  # of its session
    flaky: str

    @property
    def text(self) -> str:
        result = self.result
        if result.trials == 1:
            return result.word
        return f"{result.outcomes[result.word]}/{result.trials} {result.word}"


@dataclass(frozen=True, slots=True)
class Row:
    subject: Subject
    cells: Sequence[Cell | None]  # by session; None where it was not played
    standing: str  # how it stands, and since when

    @property
    def played(self) -> list[Cell]:
        return [cell for cell in self.cells if cell]

    @property
    def last(self) -> Cell:
        return self.played[-1]

    @property
    def flaky(self) -> int:
        return sum(bool(cell.flaky) for cell in self.played)

    @property
    def is_bad(self) -> bool:
        return self.last.result.is_bad

    @property
    def words(self) -> str:
        """For a filter, a line each: how it ended last, and `flaky`."""
        return "\n".join([self.last.result.word, *["flaky"][: self.flaky]])


@dataclass(frozen=True, slots=True)
class History:
    sessions: Sequence[Session]
    left_out: int
    rows: Sequence[Row]  # what stands badly first, then what is flaky
    changed: Sequence[Mapping[str, str]]  # by session: what of its circumstances is new

    @property
    def finding(self) -> str:
        rows = self.rows
        kinds = sorted({session.kind for session in self.sessions})
        nouns = " and ".join(f"{kind}{'s' * (len(rows) != 1)}" for kind in kinds)
        bad, flaky = sum(row.is_bad for row in rows), sum(bool(row.flaky) for row in rows)
        stands = f"{bad} did not end well" if bad else "all ended well"
        span = f"{counted(len(self.sessions), 'session')}{self._span}"
        return f"{len(rows):,} {nouns} in {span}: {stands} when last played, {flaky} flaky."

    @property
    def _span(self) -> str:
        days = [session.started_at[:10] for session in self.sessions if session.started_at]
        if not days:
            return ""
        return f" from {days[0]} to {days[-1]}" if days[0] != days[-1] else f" of {days[0]}"


def history(sessions: Sequence[Session]) -> History:
    ordered = sorted(sessions, key=lambda session: session.order)[-MOST_SESSIONS:]
    subjects = sorted({subject for session in ordered for subject in session.results})
    rows = [_row(subject, ordered) for subject in subjects]
    rows.sort(key=lambda row: (not row.is_bad, not row.flaky))
    return History(ordered, len(sessions) - len(ordered), rows, list(_changes(ordered)))


def _row(subject: Subject, sessions: Sequence[Session]) -> Row:
    played = [session for session in sessions if subject in session.results]
    flaky = {session.name: _flaky(number, subject, played) for number, session in enumerate(played)}
    cells = [
        Cell(session.results[subject], session.page, flaky[session.name])
        if session.name in flaky
        else None
        for session in sessions
    ]
    return Row(subject, cells, _standing(subject, played))


def _flaky(number: int, subject: Subject, played: Sequence[Session]) -> str:
    """It came to two things in one session; or to another thing than before and after, when these
    agree and nothing else had changed.
    """
    mine = played[number].results[subject]
    if len(mine.conclusive) > 1:
        return f"{' and '.join(sorted(mine.outcomes))} in one session"
    around = [played[other] for other in (number - 1, number + 1) if 0 <= other < len(played)]
    if len(around) < 2 or any(
        session.circumstances != played[number].circumstances for session in around
    ):
        return ""
    before, after = (session.results[subject].conclusive for session in around)
    if mine.conclusive and before == after and before and mine.conclusive != before:
        return f"{', '.join(before)} in the sessions before and after, with the same environment"
    return ""


def _standing(subject: Subject, played: Sequence[Session]) -> str:
    last = played[-1].results[subject]
    runs = groupby(reversed(played), key=lambda session: session.results[subject].word)
    same = list(next(runs)[1])
    if len(same) == len(played):
        return f"{last.word} in all {counted(len(played), 'session')}"
    since = same[-1]
    return f"{last.word} since {since.when or since.name}, {counted(len(same), 'session')}"


def _changes(sessions: Sequence[Session]) -> Iterator[Mapping[str, str]]:
    """What a session says of its circumstances that the one before it did not say."""
    before: Mapping[str, str] = {}
    for session in sessions:
        yield {
            name: words
            for name, words in session.circumstances.items()
            if before.get(name) != words
        }
        before = session.circumstances
