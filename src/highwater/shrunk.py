"""Makes a schedule small on real clusters, within a time, and says how often it still shows."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from highwater.exploration.findings import Finding
from highwater.exploration.shrinking import Shrinking
from highwater.exploration.steps import Schedule
from highwater.exploration.walk import following
from highwater.rounds import TRIES, Rounds, is_of

AGAIN = 10  # how often a small schedule is played before it is written
SHRINK_S = 180.0  # after which no other candidate is tried


@dataclass(frozen=True, slots=True, kw_only=True)
class Shrunk:
    """The schedule that is kept: a small one, or where that shows nothing the whole one."""

    schedule: Schedule
    hits: int  # of AGAIN plays of the small one
    steps_before: int
    steps: int  # of the small one
    plays: int  # until it was small
    seconds: float
    is_cut_short: bool  # the time was over: it may be made smaller still

    @property
    def told(self) -> str:
        """In a sentence."""
        ended = "; the time for that was over, and less may do" if self.is_cut_short else ""
        shows = f"the small one shows it in {self.hits} of {AGAIN} plays"
        if not self.hits:
            shows += ", and the whole one is kept"
        return (
            f"{self.steps_before} steps became {self.steps} in {self.plays} plays and "
            f"{self.seconds:.0f} s{ended}; {shows}: {self.schedule.story}"
        )

    @property
    def facts(self) -> dict[str, Any]:
        """For the origin of the schedule."""
        return {
            "hits": self.hits,
            "plays": AGAIN,
            "shrinking": {
                "steps_before": self.steps_before,
                "plays": self.plays,
                "seconds": round(self.seconds, 1),
                "cut_short": self.is_cut_short,
            },
        }


def shrunk(rounds: Rounds, schedule: Schedule, budget_s: float) -> Shrunk:
    """The smallest that shows the same, of what could be tried in so many seconds.

    The same is a violation of a claim that the whole one violated, when it was found or here.
    """
    began, before = time.monotonic(), rounds.played
    rounds.loses_clusters = True  # each time that something is lost
    steps = tuple(each.step for each in schedule.steps)
    whole = [rounds.play(following(steps)).finding for _ in range(TRIES)]
    claims = _violated(schedule, whole)
    fails = partial(rounds.fails, always=all(each.found for each in whole), claims=claims)
    shrinking = Shrinking(fails, lambda: time.monotonic() - began >= budget_s)
    small = shrinking.smallest(steps)
    seconds, plays = time.monotonic() - began, rounds.played - before
    again = [rounds.play(following(small)) for _ in range(AGAIN)]
    rounds.loses_clusters = False
    hits = [each for each in again if is_of(each.finding, claims)]
    told = Shrunk(
        schedule=schedule,  # a race that came when it was tried
        hits=len(hits),
        steps_before=len(steps),
        steps=len(small),
        plays=plays,
        seconds=seconds,
        is_cut_short=shrinking.is_cut_short,
    )
    if not hits:
        return replace(told, schedule=replace(schedule, origin={**schedule.origin, **told.facts}))
    last = hits[-1]
    kept = replace(
        schedule,
        kafka=rounds.kafka.name,
        steps=last.taken,
        claims=last.finding.claims,
        told=last.finding.told,
        origin={**schedule.origin, **told.facts},
    )
    return replace(told, schedule=kept)


def _violated(schedule: Schedule, whole: Sequence[Finding]) -> frozenset[str]:
    """By the whole one, when it was found or now: on another Kafka it may be other claims.

    What else fewer steps may show is another finding.
    """
    return frozenset(schedule.claims).union(*(each.claims for each in whole))
