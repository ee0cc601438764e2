"""Two runs of one play side by side, step by step: where do they part?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from highwater.harness.model import Ending
from highwater.reports.exhibit import Exhibit
from highwater.reports.plays import Moment, Offsets
from highwater.reports.wording import slug

MOST_ROWS = 48
MOST_PAIRS = 8


@dataclass(frozen=True, slots=True)
class Step:
    """The same step in both runs; None where only the other one has it."""

    words: str
    one: Moment | None
    other: Moment | None
    differs: bool


@dataclass(frozen=True, slots=True)
class Pair:
    scenario: str
    one: Exhibit
    other: Exhibit
    steps: Sequence[Step]
    parting: int | None  # the index of the first step that makes a difference
    left_out: int

    @property
    def link(self) -> str:
        return f"beside-{slug(self.scenario)}"

    @property
    def names(self) -> tuple[str, str]:
        return _name(self.one), _name(self.other)


def pairs(exhibits: Sequence[Exhibit]) -> list[Pair]:
    """Of each scenario the first run that shows the failure, beside the first that does not."""
    found = []
    played = [each for each in exhibits if each.identity.get("scenario")]
    for scenario in dict.fromkeys(str(each.identity["scenario"]) for each in played):
        own = [each for each in played if each.identity["scenario"] == scenario]
        failed = [each for each in own if each.charts and each.word == Ending.REPRODUCED.value]
        clean = [each for each in own if each.charts and each.word == Ending.CLEAN.value]
        if failed and clean:
            found.append(_pair(scenario, failed[0], clean[0]))
    return found[:MOST_PAIRS]


def _pair(scenario: str, one: Exhibit, other: Exhibit) -> Pair:
    mine = one.charts.moments if one.charts else ()
    theirs = other.charts.moments if other.charts else ()
    every = list(aligned(mine, theirs))
    parting = next((number for number, step in enumerate(every) if step.differs), None)
    start = max(0, min((parting or 0) - MOST_ROWS // 2, len(every) - MOST_ROWS))
    steps = every[start : start + MOST_ROWS]
    shown = None if parting is None else parting - start
    return Pair(scenario, one, other, steps, shown, len(every) - len(steps))


def _name(run: Exhibit) -> str:
    kafka, control = run.identity.get("kafka"), run.identity.get("control")
    return f"{kafka} with {control}" if control else str(kafka)


def aligned(one: Sequence[Moment], other: Sequence[Moment]) -> Iterator[Step]:
    """By what was done; where the order differs, a step stands in a row of its own."""
    mine, theirs = ([each.words for each in run] for run in (one, other))
    matched = SequenceMatcher(a=mine, b=theirs, autojunk=False)
    for tag, i, i_end, j, j_end in matched.get_opcodes():
        if tag == "equal":
            yield from (_step(*both) for both in zip(one[i:i_end], other[j:j_end], strict=True))
        else:
            yield from (Step(each.words, each, None, each.is_loss) for each in one[i:i_end])
            yield from (Step(each.words, None, each, each.is_loss) for each in other[j:j_end])


def _step(mine: Moment, theirs: Moment) -> Step:
    """A high watermark may be late without consequence, and who did not answer says nothing."""
    differs = (
        mine.outcome != theirs.outcome
        or (mine.led != theirs.led and "" not in (mine.led, theirs.led))
        or _other(mine.ends, theirs.ends)
    )
    return Step(mine.words, mine, theirs, differs)


def _other(mine: Offsets | None, theirs: Offsets | None) -> bool:
    if mine is None or theirs is None:
        return False
    return any(theirs.get(broker, offset) != offset for broker, offset in mine.items())
