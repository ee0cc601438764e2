"""Which cells tell a scenario's story: both sides of every flip, controls, and perhaps the ends."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from enum import Enum, auto

from highwater.cells import Cell, not_lined_up
from highwater.harness.controls import find_control
from highwater.harness.errors import UsageError
from highwater.harness.foreign.programs import OURS
from highwater.harness.model import Scenario
from highwater.harness.scenario import ablations, lines_up_with, plays_on
from highwater.harness.versions.catalogue import Kafka, every_kafka, ladder_kafkas
from highwater.harness.versions.numbers import release_of
from highwater.scenarios.catalogue import scenarios

Line = Sequence[Cell]  # one scenario on the Kafkas of one mode, oldest first
Story = Sequence[Line]  # one scenario


class Extent(Enum):
    """How much of a ladder; each has what the one before it has."""

    FLIPS = auto()  # both sides of each; where there is none, the newest release and every control
    CONTROLS = auto()  # every control
    ENDS = auto()  # the oldest, one in the middle, the newest of each mode, both sides of each turn


def ladder(scenarios: Sequence[Scenario], kafkas: Sequence[Kafka], extent: Extent) -> list[Cell]:
    """The cells of every scenario.

    A flip is where the expectation changes from one release to the next. Ours is the client: raises
    UsageError for a scenario that it cannot be lined up with.
    """
    for scenario in scenarios:
        if not lines_up_with(scenario, OURS):
            raise UsageError(not_lined_up(scenario))
    return [cell for each in scenarios for cell in _rung(story_of(each, kafkas), extent)]


def rungs() -> list[Scenario]:
    """The scenarios that ask about brokers; `highwater clients` plays those that any client can."""
    return [each for each in scenarios() if not each.any_client and lines_up_with(each, OURS)]


def around_all_flips() -> list[Kafka]:
    """Of those of the ladder, both sides of each flip of any scenario, oldest first."""
    every = ladder_kafkas()
    stories = [list(_lines(scenario, every)) for scenario in scenarios()]
    chosen = {cell.kafka.name for story in stories for cell in _flips(story)}
    return [kafka for kafka in every if kafka.name in chosen]


def story_of(scenario: Scenario, kafkas: Sequence[Kafka]) -> Story:
    """A line for each mode; of all releases that there are where it fails on none of these."""
    story = list(_lines(scenario, kafkas))
    if not scenario.reproduces or _fails(story):
        return story
    whole = list(_lines(scenario, every_kafka()))
    return whole if _fails(whole) else story


def _fails(story: Story) -> bool:
    return any(cell.expected == "reproduced" for line in story for cell in line)


def _lines(scenario: Scenario, kafkas: Sequence[Kafka]) -> Iterator[Line]:
    for mode in dict.fromkeys(kafka.mode for kafka in kafkas):
        line = [
            Cell(scenario=scenario, kafka=kafka, control=None)
            for kafka in kafkas
            if kafka.mode == mode and plays_on(scenario, kafka)
        ]
        if line:
            yield line


def _rung(story: Story, extent: Extent) -> list[Cell]:
    flips = _flips(story)
    newest = [line[-1] for line in story]
    ends = _ends(story, flips) if extent is Extent.ENDS else [] if flips else newest[-1:]
    chosen = {cell.kafka.name for cell in (*flips, *ends)}
    plain = [cell for line in story for cell in line if cell.kafka.name in chosen]
    return plain if flips and extent is Extent.FLIPS else plain + _controlled(story)


def _ends(story: Story, flips: Sequence[Cell]) -> list[Cell]:
    """With one halfway of the others, where none of these is in the middle half of the releases."""
    turns = [cell for line in story for cell in _around(line, _turned)]
    ends = [story[0][0], *(line[-1] for line in story), *turns]
    chosen = {cell.kafka.version for cell in (*flips, *ends)}
    every = sorted((cell for line in story for cell in line), key=_release)
    versions = [*dict.fromkeys(cell.kafka.version for cell in every)]
    edge = max(1, len(versions) // 4)
    others = [cell for cell in every if cell.kafka.version not in chosen]
    if chosen & {*versions[edge:-edge]} or not others:
        return ends
    return [*ends, others[(len(others) - 1) // 2]]


def _release(cell: Cell) -> tuple[int, ...]:
    return release_of(cell.kafka.version)


def _flips(story: Story) -> list[Cell]:
    return [cell for line in story for cell in _around(line, _flipped)]


def _flipped(before: Cell, after: Cell) -> bool:
    return before.expected != after.expected


def _turned(before: Cell, after: Cell) -> bool:
    """Whether the scenario says that other things are asked from the second one on."""
    sides = [
        [cell.kafka.at_least(release) for release in cell.scenario.turns_at]
        for cell in (before, after)
    ]
    return sides[0] != sides[1]


def _around(line: Line, changes: Callable[[Cell, Cell], bool]) -> list[Cell]:
    """The last cell before each change and the first one after it."""
    chosen = {
        place
        for change, (before, after) in enumerate(itertools.pairwise(line))
        if changes(before, after)
        for place in (change, change + 1)
    }
    return [cell for place, cell in enumerate(line) if place in chosen]


def _controlled(story: Story) -> list[Cell]:
    """Each control once: cures and ablations where it failed last, the rest where it held first."""
    every = [cell for line in story for cell in line]
    scenario = every[0].scenario
    failing = [cell for cell in reversed(every) if cell.expected == "reproduced"]
    holding = [cell for cell in every if cell.expected == "clean"]
    wanted = [
        *((control, failing) for control in (*scenario.cured_by, *ablations(scenario))),
        *((control, holding) for control in scenario.restored_by),
    ]
    return [
        replace(fit[0], control=control)
        for control, cells in wanted
        if (fit := [cell for cell in cells if find_control(control).applies(cell.kafka)])
    ]
