"""`explore`: search for what nobody wrote down, shrink what is found, and play it again."""

from __future__ import annotations

import json
import random
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from highwater import console
from highwater.adopting import kafka_named
from highwater.backends import Backend
from highwater.console import say
from highwater.exploration.choosing import MOVE_SETS, STRATEGIES, Strategy
from highwater.exploration.files import write_schedule
from highwater.exploration.rounds import Round
from highwater.exploration.steps import Schedule, Taken
from highwater.exploration.views import Finding
from highwater.harness.errors import UsageError
from highwater.harness.versions.catalogue import Kafka
from highwater.playing import Options
from highwater.replaying import AGAIN, beside, replay, smallest
from highwater.rounds import Rounds
from highwater.workshop import results_of_now, workshop

LOG = "rounds.jsonl"
TELL_EACH_S = 60.0  # where nobody sees a line that changes
FOUND, CLEAN = 1, 0  # exit codes


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """What the user asked for."""

    kafka: str
    seed: int
    budget_s: float
    strategy: str
    moves: str
    findings: int  # enough of them
    trials: int  # of each finding, recorded, on its release and on those beside it; 0: none
    out: Path | None
    offline: bool


@dataclass(slots=True)
class Explorer:
    """One search: what it plays, what it has learned, and where that is written."""

    search: Search
    kafka: Kafka
    out: Path
    rounds: Rounds
    strategy: Strategy
    number: int = 0  # of schedules, those of earlier searches into the same directory included
    found: int = 0

    def resume(self) -> None:
        """Learn what was seen before, so that the search goes on where it ended."""
        for row in read_log(self.out):
            self.number = row["number"]
            self.found += bool(row["claims"])
            self.strategy.learn(round_of(row))

    def run(self) -> None:
        began = told_s = time.monotonic()
        dangers = Counter[int]()
        with console.err.status("") as status:
            while time.monotonic() - began < self.search.budget_s and not self.has_enough:
                dangers[self._one().danger] += 1
                now = time.monotonic()
                rate = 60 * self.rounds.played / (now - began)
                line = (
                    f"{self.kafka.name}: {self.number} schedules, {rate:.0f} a minute; by danger "
                    f"{dict(sorted(dangers.items()))}; {self.found} found"
                )
                status.update(line)
                if now - told_s > TELL_EACH_S and not console.err.is_terminal:
                    told_s = now
                    say(line)

    @property
    def has_enough(self) -> bool:
        return self.found >= self.search.findings

    def _one(self) -> Round:
        self.number += 1
        self.strategy.begin(random.Random(f"{self.search.seed}-{self.number}"))
        told = self.rounds.play(self.strategy)
        news = self.strategy.learn(told)
        with (self.out / LOG).open("a", encoding="utf-8") as log:
            log.write(json.dumps(row_of(self.number, told, news)) + "\n")
        if told.finding.found:
            self.found += 1
            self._keep(told)
        return told

    def _keep(self, told: Round) -> None:
        """Shrink it, and say how often it comes again."""
        path = self.out / f"found-{self.found}.json"
        schedule = self._schedule(told)
        write_schedule(path, schedule)
        say(f"schedule {self.number}: {told.finding.told}: {schedule.story}")
        began, before = time.monotonic(), self.rounds.played
        small, hits = smallest(self.rounds, schedule)
        say(
            f"{len(told.steps)} steps became {len(small.steps)} in "
            f"{self.rounds.played - before} plays and {time.monotonic() - began:.0f} s; the small "
            f"one shows it in {hits} of {AGAIN} plays: {small.story}"
        )
        write_schedule(path.with_suffix(".small.json"), small)

    def _schedule(self, told: Round) -> Schedule:
        origin = {
            "seed": self.search.seed,
            "number": self.number,
            "strategy": self.strategy.name,
            "moves": self.search.moves,
        }
        finding = told.finding
        return Schedule(
            kafka=self.kafka.name,
            steps=told.taken,
            claims=finding.claims,
            told=finding.told,
            origin=origin,
        )


def explore(search: Search) -> int:
    """Search until the budget is spent or enough is found; returns the exit code."""
    kafka = kafka_named(search.kafka, offline=search.offline)
    if search.strategy not in STRATEGIES or search.moves not in MOVE_SETS:
        raise UsageError(
            f"expected a strategy of {', '.join(STRATEGIES)} and moves of {', '.join(MOVE_SETS)}, "
            f"saw {search.strategy} and {search.moves}"
        )
    out = search.out or results_of_now()
    out.mkdir(parents=True, exist_ok=True)
    strategy = STRATEGIES[search.strategy](MOVE_SETS[search.moves])
    with workshop() as place, Rounds(kafka, place, say, offline=search.offline) as rounds:
        explorer = Explorer(search, kafka, out, rounds, strategy)
        explorer.resume()
        explorer.run()
        counted = f"{explorer.number} schedules on {rounds.clusters} clusters"
        say(f"{counted}, {explorer.found} found: {out}")
    if search.trials:
        for number in range(1, explorer.found + 1):
            _play_whole(out / f"found-{number}.small.json", kafka, search)
    return FOUND if explorer.found else CLEAN


def _play_whole(small: Path, kafka: Kafka, search: Search) -> None:
    """With a record and its verdict, on the release and on those beside it."""
    out = small.with_suffix("").with_suffix("")
    if not small.exists() or (out / "report.html").exists():
        return  # nothing was left to shrink, or an earlier search has done it
    options = Options(
        trials=search.trials, backend=Backend(), out=out, offline=search.offline, json=False,
        resume=out.exists(),
    )  # fmt: skip
    replay(small, beside(kafka), options)


def row_of(number: int, told: Round, news: int) -> dict[str, Any]:
    """A line of the log: what was done, and what it came to."""
    return {
        "number": number,
        "claims": list(told.finding.claims),
        "told": told.finding.told,
        "settled": told.finding.is_settled,
        "danger": told.danger,
        "news": news,
        "seconds": round(told.seconds, 3),
        "failures": list(told.failures),
        "steps": [{**each.to_json(), "danger": each.danger} for each in told.taken],
    }


def round_of(row: Mapping[str, Any]) -> Round:
    """What such a line tells."""
    finding = Finding(tuple(row["claims"]), row["told"], row["settled"])
    return Round(taken=[_taken(each) for each in row["steps"]], finding=finding)


def _taken(row: Mapping[str, Any]) -> Taken:
    told = dict(row)
    danger = told.pop("danger", 0)
    taken = Taken.from_json(told)
    return replace(taken, danger=danger)


def read_log(out: Path) -> Iterator[dict[str, Any]]:
    """Of the searches that went into a directory; a line that was cut short is left out."""
    path = out / LOG
    if not path.exists():
        return
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            yield json.loads(line)
        except ValueError:
            continue
