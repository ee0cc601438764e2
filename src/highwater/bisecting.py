"""`bisect`: finds the release with which a scenario, a schedule or a test begins or ceases to fail.

Both ends are played first, then ever the middle between the last release with the one answer and
the first with the other. What was tried stands in bisect.json after every step, so that a bisection
that was interrupted goes on where it was.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from rich.table import Table

from highwater import console
from highwater.adopting import kafka_named
from highwater.bisection import Answer, Tally, every_flip, out_of_order
from highwater.bisection_words import sentences
from highwater.checkers.session import stop_session
from highwater.harness.errors import PreconditionError, UsageError
from highwater.harness.record.files import write_json
from highwater.harness.versions.catalogue import MODES, Kafka, every_kafka, find_kafka
from highwater.harness.versions.numbers import release_of
from highwater.playing import Options
from highwater.probing import Probe, probe_of
from highwater.workshop import directory_of

SYMBOLS = {Answer.FAILS: "✗ fails", Answer.HOLDS: "✓ holds", Answer.UNCLEAR: "? unclear"}
BISECT_SCHEMA = 2  # since then with further flips
STORED = "bisect.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ends:
    """Where the user says that it holds and fails, and in which mode; what is None is found."""

    good: str | None
    bad: str | None
    mode: str | None  # zk, kraft; None: each release in its first one


@dataclass(slots=True, kw_only=True)
class Bisection:
    """A search along one line of releases."""

    subject: str
    line: Sequence[Kafka]  # oldest first
    good: Kafka
    bad: Kafka
    probe: Probe
    out: Path
    tried: dict[str, Tally] = field(default_factory=dict)  # in the order in which they were
    found: Sequence[tuple[int, int]] = ()  # places, the flip between the ends first
    is_over: bool = False

    def carry_out(self) -> None:
        """Find the pairs of places in the line between which it flips; each round is kept.

        Raises UsageError where an end is not what it was said to be, PreconditionError where that
        cannot be told.
        """
        for end, expected, said in (
            (self.bad, Answer.FAILS, "bad"),
            (self.good, Answer.HOLDS, "good"),
        ):
            self._check(end, expected, said)
        low, high = sorted((self.line.index(self.good), self.line.index(self.bad)))
        for found in every_flip(low, high, self._at, partial(out_of_order, self.line)):
            self.found = found
            self.keep()
        self.is_over = True
        self.keep()

    def keep(self) -> None:
        write_json(self.out / STORED, self.described())

    def _at(self, place: int) -> Answer:
        return self.ask(self.line[place])

    def ask(self, kafka: Kafka) -> Answer:
        """What the trials on a release say; each release is played once."""
        if kafka.name not in self.tried:
            self.tried[kafka.name] = tally = self.probe.tally(kafka)
            self.keep()
            shown = SYMBOLS[tally.answer]
            console.err.print(f"{kafka.name}: {shown}, {_counted(tally)}", markup=False)
        return self.tried[kafka.name].answer

    def _check(self, end: Kafka, expected: Answer, said: str) -> None:
        answer = self.ask(end)
        if answer is expected:
            return
        seen = f"{self.subject} on {end.name}: {_counted(self.tried[end.name])}"
        if answer is Answer.UNCLEAR:
            why = "; ".join(dict.fromkeys(self.tried[end.name].reasons)) or "no evidence"
            raise PreconditionError(f"nothing can be said of the {said} end: {seen} ({why})")
        raise UsageError(
            f"the {said} end is not {said}: {seen}; name another one: --{said} VERSION"
        )

    def described(self) -> dict[str, Any]:
        """As bisect.json has it; what was not found yet is null."""
        nothing: dict[str, Any] = {"last": None, "first": None, "first_answer": None, "unclear": []}
        asked_for, *further = [self._flip(*each) for each in self.found] or [nothing]
        return {
            "schema": BISECT_SCHEMA,
            "subject": self.subject,
            **({"about": self.probe.about} if self.probe.about else {}),
            "good": self.good.name,
            "bad": self.bad.name,
            "line": [kafka.name for kafka in self.line],
            "tried": [self._row(tally) for tally in self.tried.values()],
            **asked_for,
            "further": further,
            "is_over": self.is_over,
            "untold": self._untold(),
        }

    def _untold(self) -> list[str]:
        """Beside the flips that were found: of whom it may be otherwise, and nothing is known."""
        lines = [each for flip in self.found for each in out_of_order(self.line, flip)]
        names = [self.line[place].name for each in lines for place in each.near]
        return sorted(
            {
                name
                for name in names
                if name in self.tried and self.tried[name].answer is Answer.UNCLEAR
            }
        )

    def _row(self, tally: Tally) -> dict[str, Any]:
        built = next(each.row.built for each in self.line if each.name == tally.kafka)
        return {
            "kafka": tally.kafka,
            "built": built.isoformat() if built else None,
            "answer": tally.answer.value,
            "failed": tally.failed,
            "held": tally.held,
            "inconclusive": tally.inconclusive,
            "reasons": list(dict.fromkeys(tally.reasons)),
        }

    def _flip(self, last: int, first: int) -> dict[str, Any]:
        """Between two neighbours, or with some between them that are unclear."""
        return {
            "last": self.line[last].name,
            "first": self.line[first].name,
            "first_answer": self.tried[self.line[first].name].answer.value,
            "unclear": [kafka.name for kafka in self.line[last + 1 : first]],
        }


def bisect(subject: str, ends: Ends, options: Options) -> int:
    """Find the flip, and others beside it, and show what was tried; returns the exit code.

    0: neighbours; 3: between them, or beside them, nothing could be told of some. Raises UsageError
    for ends that cannot be, and for a directory that has the plays of another subject.
    """
    probe = probe_of(subject, options)
    line, good, bad = _line(subject, ends, probe, offline=options.offline)
    out = directory_of(options.out, used=options.resume)
    _refuse_another(out / STORED, subject, probe.about)
    probe.out = out
    bisection = Bisection(subject=subject, line=line, good=good, bad=bad, probe=probe, out=out)
    bisection.keep()  # whose plays lie here is known from now on
    try:
        bisection.carry_out()
    finally:
        stop_session()
        if not options.json:
            _show_tried(bisection)
    described = bisection.described()
    if options.json:
        console.print_json({"out": str(out), **described})
    else:
        console.out.print(f"what was played: {out}", soft_wrap=True)
    unclear = any(each["unclear"] for each in (described, *described["further"]))
    return 3 if unclear or described["untold"] else 0


def _refuse_another(stored: Path, subject: str, about: str) -> None:
    """Raises UsageError where a bisection of something else is, or none that can be read.

    What was played of a test lies below the release, and says nothing of which test it is.
    """
    if not stored.exists():
        return
    try:
        before = json.loads(stored.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(f"{stored} cannot be read: {error}") from error
    known = before.get("subject") if isinstance(before, dict) else None
    if not isinstance(known, str):
        raise UsageError(f"{stored} is of no bisection: it says no subject")
    if known != subject:
        raise UsageError(
            f"{stored.parent} holds a bisection of {known}, not of {subject}; choose another --out"
        )
    if before.get("about", about) != about:
        raise UsageError(
            f"{subject} has changed since it was bisected in {stored.parent}; choose another --out"
        )


def _line(
    subject: str, ends: Ends, probe: Probe, *, offline: bool
) -> tuple[list[Kafka], Kafka, Kafka]:
    """The releases to search, oldest first, and the good and the bad end of them."""
    suffix = f"-{ends.mode}" if ends.mode else ""
    _require_mode(subject, ends, probe)
    good, bad = (
        None if name is None else kafka_named(name.removesuffix(suffix) + suffix, offline=offline)
        for name in (ends.good, ends.bad or probe.fails_on)
    )
    named = [kafka for kafka in (good, bad) if kafka]
    modes = {kafka.mode for kafka in named}
    is_known = len(modes) == 1 and (len(named) == 2 or probe.fails_on)
    mode = ends.mode or (MODES[modes.pop()] if is_known else None)
    wanted = [
        kafka
        for kafka in (*every_kafka(), *named)
        if not probe.why_not(kafka)
        and (kafka.suffix == mode if mode else kafka.mode == kafka.row.modes[0])
    ]
    once = {kafka.name: kafka for kafka in wanted}
    line = sorted(once.values(), key=lambda kafka: release_of(kafka.version))
    for kafka in named:
        if why := probe.why_not(kafka):
            raise UsageError(f"{why}; name another end than {kafka.name}")
        if kafka not in line:
            raise UsageError(
                f"{subject} is not played on {kafka.name} beside "
                f"{mode or 'the first mode of each'}; name another end, or --mode"
            )
    if len(line) < 2:
        raise UsageError(f"{subject} is played on fewer than two releases with {mode or 'any'}")
    bad = bad or line[0]
    good = good or line[-1]
    if good == bad:
        raise UsageError(f"{good.name} cannot be both ends; name the other one: --good, --bad")
    return line, good, bad


def _require_mode(subject: str, ends: Ends, probe: Probe) -> None:
    """Raises UsageError where what is known to fail is of another mode than that asked for."""
    if ends.mode and not ends.bad and probe.fails_on:
        known = find_kafka(probe.fails_on)
        if known.suffix != ends.mode:
            raise UsageError(
                f"{subject} was found on {known.name}, which is no {ends.mode}; "
                "leave --mode out, or say where it fails: --bad VERSION"
            )


def _counted(tally: Tally) -> str:
    unclear = f", {tally.inconclusive} inconclusive" if tally.inconclusive else ""
    return f"failed in {tally.failed} of {tally.trials}{unclear}"


def _show_tried(bisection: Bisection) -> None:
    """A row per release that was tried, oldest first, with when it was, and what was found."""
    table = Table.grid(padding=(0, 2))
    places = {name: place for place, name in enumerate(bisection.tried, start=1)}
    for kafka in bisection.line:
        if kafka.name in places:
            tally = bisection.tried[kafka.name]
            shown = f"  {kafka.name}", SYMBOLS[tally.answer], _counted(tally)
            table.add_row(*shown, f"step {places[kafka.name]}", "; ".join({*tally.reasons}))
    console.out.print(bisection.subject, style="bold", markup=False)
    console.out.print(table)
    for text in sentences(bisection.described()) if bisection.found else ():
        console.out.print(text, markup=False, soft_wrap=True)
