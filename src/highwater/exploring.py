"""`explore`: search for what nobody wrote down, shrink what is found, and play it again."""

from __future__ import annotations

import random
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from highwater import console
from highwater.adopting import kafka_named
from highwater.backends import Backend
from highwater.console import say
from highwater.exploration.choosing import Strategy
from highwater.exploration.files import write_schedule
from highwater.exploration.nemesis import Nemesis, storms
from highwater.exploration.proposals import MOVE_SETS
from highwater.exploration.rounds import Round
from highwater.exploration.steps import Schedule
from highwater.exploration.strategies import STRATEGIES
from highwater.exploration.topologies import PLAIN, terrain_of, topology_of
from highwater.harness.errors import InfrastructureError, UsageError, in_words
from highwater.harness.versions.catalogue import Kafka
from highwater.parting import likeness
from highwater.playing import Options, shard_of
from highwater.replaying import beside, replay
from highwater.rounds import Rounds, ground_of
from highwater.scheduled import Scheduled
from highwater.search_log import (
    Part,
    append,
    logs_beside,
    open_search,
    read_log,
    require_same,
    row_of,
)
from highwater.shrunk import SHRINK_S, shrunk
from highwater.tallying import Tally, resident_mib
from highwater.workshop import workshop

TELL_EACH_S = 60.0  # where nobody sees a line that changes
NUMBERED = frozenset({"claim", "send once"})  # moves of producers that number their records
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
    shard: str = "1/1"
    shrink_s: float = SHRINK_S  # for each finding
    like: Path | None = None  # another search of the same seed
    topology: str | None = None  # of its cluster; None: whatever its moves take

    @property
    def part(self) -> Part:
        """Raises UsageError for a shard that is none."""
        return Part(*shard_of(self.shard))


@dataclass(slots=True)
class Explorer:
    """One search: what it plays, what it has learned, and where that is written."""

    search: Search
    kafka: Kafka
    out: Path
    rounds: Rounds
    strategy: Strategy
    number: int = 0  # of the last schedule; parts play the next but one, or so
    found: int = 0
    tally: Tally = field(default_factory=Tally)
    setting: Mapping[str, Any] | None = None  # of its cluster, as a schedule says it
    kept_s: float = 0.0  # what it took to make findings small
    before: int = 0  # schedules that the part had played when it was gone on with

    def resume(self) -> None:
        """Learn what was seen before, so that the search goes on where it ended.

        What other parts have come to is learned as well, as far as they are.
        """
        part = self.search.part
        for path in logs_beside(self.out, part):
            for _, told in read_log(path):
                self.strategy.learn(told)
        self.number = part.place - part.of
        for number, told in read_log(self.out / part.log):
            self.number = number
            if part.of == 1:  # of several parts nobody knows what this one knew then
                self.strategy.begin(self._chance())  # what it went on from is worth less now
            self.strategy.learn(told)
            self.tally.know(told)
            if told.finding.found:
                self.found += 1
                if not self._small(self.found).exists():  # it was interrupted before that
                    self._keep(told)
        if before := self.count:
            self.before = before
            say(
                f"{self.out} is gone on with: {before} schedules, {len(self.tally.states)} states "
                f"and {self.found} found are there"
            )

    def run(self) -> None:
        """Raises InfrastructureError where no schedule took a step: nothing was searched."""
        began = told_s = time.monotonic()
        with console.err.status("") as status:
            while time.monotonic() - began < self.search.budget_s and not self.has_enough:
                self._one()
                now = time.monotonic()
                line = self.progress(self.rate(now - began))
                status.update(line)
                if now - told_s > TELL_EACH_S and not console.err.is_terminal:
                    told_s = now
                    say(line)
        if self.tally.played and not self.tally.steps:
            raise InfrastructureError(
                f"expected steps to be taken on Kafka {self.kafka.name}, saw none in "
                f"{self.tally.played} schedules, the last of which says: {self.tally.told}"
            )

    def rate(self, seconds: float) -> float:
        """Schedules a minute, of so many seconds since it began."""
        return 60 * self.tally.played / max(seconds - self.kept_s, 1e-3)

    def progress(self, rate: float) -> str:
        """How far it is; `rate` is schedules a minute."""
        tally = self.tally
        return (
            f"{self.kafka.name}: {self.count} schedules, {rate:.0f} a minute; {len(tally.states)} "
            f"states; by danger {dict(sorted(tally.dangers.items()))}; {self.found} found"
        )

    @property
    def ending(self) -> str:
        """What it came to, in a line."""
        before = f", {self.before} of them before" if self.before else ""
        now = " now" if self.before else ""
        return (
            f"schedules: {self.count}{before}, states: {len(self.tally.states)}, clusters{now}: "
            f"{self.rounds.clusters}, found: {self.found}{self.tally.told_of_memory}"
        )

    @property
    def count(self) -> int:
        """Of this part's schedules, those of earlier searches into the same directory included."""
        part = self.search.part
        return (self.number - part.place + part.of) // part.of

    @property
    def has_enough(self) -> bool:
        return self.found >= self.search.findings

    def _chance(self) -> random.Random:
        """All that this schedule has of it."""
        return random.Random(f"{self.search.seed}-{self.number}")

    def _one(self) -> None:
        self.number += self.search.part.of
        told = self.rounds.play_by(self.strategy, self._chance())
        news = self.strategy.learn(told)
        self.tally.add(told, mib := resident_mib())
        append(self.out, row_of(self.number, told, news, mib), self.search.part)
        if told.finding.found:
            self.found += 1
            before = time.monotonic()
            self._keep(told)
            self.kept_s += time.monotonic() - before

    def _keep(self, told: Round) -> None:
        """Shrink it, and say how often it comes again."""
        path = self.out / f"{named(self.search, self.found)}.json"
        schedule = self._schedule(told)
        write_schedule(path, schedule)
        say(f"schedule {self.number}: {told.finding.told}: {schedule.story}")
        small = shrunk(self.rounds, schedule, self.search.shrink_s)
        say(small.told)
        write_schedule(self._small(self.found), small.schedule)

    def _small(self, number: int) -> Path:
        return self.out / f"{named(self.search, number)}.small.json"

    def _schedule(self, told: Round) -> Schedule:
        origin = {
            "seed": self.search.seed,
            "number": self.number,
            "strategy": told.by,
            "moves": self.search.moves,
        }
        finding = told.finding
        return Schedule(
            kafka=self.kafka.name,
            steps=told.taken,
            claims=finding.claims,
            told=finding.told,
            origin=origin,
            setting=self.setting,
        )


def named(search: Search, number: int) -> str:
    """What a finding is called."""
    return f"found{search.part.suffix}-{number}"


def explore(search: Search) -> int:
    """Search until the budget is spent or enough is found; returns the exit code."""
    kafka = kafka_named(search.kafka, offline=search.offline)
    _require_known(search, kafka)
    topology = topology_of(search.moves, search.topology)
    terrain = terrain_of(search.moves, topology)
    ground_of(kafka, terrain)  # it is refused before anything is written
    names = ("seed", "strategy", "moves")
    told = {"kafka": kafka.name, **{each: getattr(search, each) for each in names}}
    if topology != PLAIN:
        told["topology"] = topology
    if search.like is not None:
        require_same(search.like, told, search.part)
    out = open_search(search.out, told, search.part)
    strategy = STRATEGIES[search.strategy](MOVE_SETS[search.moves])
    with (
        workshop() as place,
        Rounds(kafka, place, say, terrain=terrain, offline=search.offline) as rounds,
    ):
        explorer = Explorer(search, kafka, out, rounds, strategy, setting=terrain.setting)
        try:
            explorer.resume()
            explorer.run()
        except InfrastructureError as error:
            if not explorer.found:
                raise
            say(f"the search has ended: {in_words(error)}")  # what was found is played all the same
        say(f"all of it is in {out}")
        say(explorer.ending)
        if search.like is not None:
            log = search.part.log
            say(likeness(str(search.like), read_log(out / log), read_log(search.like / log)))
    if search.trials:
        for number in range(1, explorer.found + 1):
            _play_whole(out / f"{named(search, number)}.small.json", kafka, search)
    return FOUND if explorer.found else CLEAN


def _require_known(search: Search, kafka: Kafka) -> None:
    """Raises UsageError for what nobody knows, or moves of which nothing can be done."""
    if search.strategy not in STRATEGIES or search.moves not in MOVE_SETS:
        raise UsageError(
            f"expected a strategy of {', '.join(STRATEGIES)} and moves of {', '.join(MOVE_SETS)}, "
            f"saw {search.strategy} and {search.moves}"
        )
    if NUMBERED & {*MOVE_SETS[search.moves]} and not kafka.has_record_batches:
        raise UsageError(
            f"expected a Kafka with idempotent producers and transactions for the moves "
            f"{search.moves}, which came with 0.11: on {kafka.name} there are none; name another "
            "Kafka, or other moves"
        )
    if search.strategy == Nemesis.name and not storms(MOVE_SETS[search.moves]):
        raise UsageError(
            f"a nemesis sends records in requests of their own, and {search.moves} moves none of "
            "these: nothing that they are about would ever happen; expected the strategy guided, "
            "uniform or mixed"
        )


def _play_whole(small: Path, kafka: Kafka, search: Search) -> None:
    """With a record and its verdict, on the release and on those beside it."""
    out = small.with_suffix("").with_suffix("")
    if not small.exists() or (out / "report.html").exists():
        return  # nothing was left to shrink, or an earlier search has done it
    options = Options(
        trials=search.trials, backend=Backend(), out=out, offline=search.offline, json=False,
        resume=out.exists(),
    )  # fmt: skip
    scheduled = Scheduled.at(small)
    able = (each for each in beside(kafka) if not scheduled.why_not(each, options.backend))
    replay(small, [each.name for each in able], options)
