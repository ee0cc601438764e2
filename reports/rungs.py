"""The ladder as one picture: releases along time, a line per scenario, and where it ceases to fail.

A line of releases (2.8) stands at the date of its first one, and its patches follow there, so that
what is mended in a later patch of an older line is not drawn between other lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby, pairwise

from highwater.harness.versions.catalogue import rows
from highwater.harness.versions.numbers import release_of
from highwater.reports.cells import Cell
from highwater.reports.wording import counted

WIDTH, LEFT, RIGHT = 1200, 270, 1085  # user units; names stand left of LEFT, tickets right of RIGHT
TOP, ROW, BETWEEN_MODES = 46, 22, 4
LEAST_STEP = 7.0  # between two releases
LEAST_LABEL = 38.0  # between the names of two lines of releases
TICKET = re.compile(r"KIP-\d+|KAFKA-\d+|librdkafka#\d+")
MOST_TICKETS = 1
LEAST_RELEASES = 3  # fewer are read from the table


@dataclass(frozen=True, slots=True)
class Mark:
    """One cell: a circle with ZooKeeper, a square with KRaft, a diamond under a control."""

    cell: Cell
    x: float
    y: float
    said: str

    @property
    def shape(self) -> str:
        if self.cell.control:
            return "control"
        return "zookeeper" if _is_zookeeper(self.cell.kafka) else "kraft"


@dataclass(frozen=True, slots=True)
class Rung:
    """One scenario: its marks, and bars over the releases on which it fails without a gap."""

    scenario: str
    y: float
    bars: Sequence[tuple[float, float, float]]  # from x, to x, y
    marks: Sequence[Mark]
    ticket: str


@dataclass(frozen=True, slots=True)
class Ladder:
    """What the template draws."""

    width = WIDTH
    left = LEFT
    right = RIGHT

    rungs: Sequence[Rung]
    labels: Sequence[tuple[float, str]]
    years: Sequence[tuple[float, str]]
    height: float
    description: str


def rungs(cells: Sequence[Cell], sources: Mapping[str, str] | None = None) -> Ladder | None:
    """The picture of these cells; None where too few releases of the catalogue were played.

    `sources` are what scenarios rest on, by name: their tickets stand at the right end.
    """
    known = [cell for cell in cells if _release(cell.kafka) in _dates()]
    played = sorted({_release(cell.kafka) for cell in known}, key=release_of)
    if len(played) < LEAST_RELEASES:
        return None
    places = _places(played)
    names = list(dict.fromkeys(cell.scenario for cell in known))
    drawn = [
        _rung(name, TOP + ROW * number, [cell for cell in known if cell.scenario == name], places)
        for number, name in enumerate(_by_first_flip(names, known))
    ]
    tickets = {
        name: TICKET.findall(source)[:MOST_TICKETS] for name, source in (sources or {}).items()
    }
    named = [_named(rung, tickets.get(rung.scenario, [])) for rung in drawn]
    return Ladder(
        named,
        list(_labels(places)),
        list(_years(played, places)),
        TOP + ROW * len(named) + 8,
        f"{counted(len(names), 'scenario')} on {counted(len(played), 'release')} of Kafka, from "
        f"{played[0]} to {played[-1]}",
    )


def _rung(name: str, y: float, mine: Sequence[Cell], places: Mapping[str, float]) -> Rung:
    both = len({_is_zookeeper(cell.kafka) for cell in mine if not cell.control}) > 1
    marks = [
        Mark(cell, places[_release(cell.kafka)], y + _aside(cell, both=both), _said(cell))
        for cell in sorted(mine, key=lambda cell: cell.column.order)
    ]
    bars = [
        (failing[0].x, failing[-1].x, failing[0].y)
        for shape in ("zookeeper", "kraft")
        for fails, some in groupby(
            (mark for mark in marks if mark.shape == shape),
            key=lambda mark: mark.cell.reproduced > 0,
        )
        if fails and (failing := list(some))
    ]
    return Rung(name, y, bars, marks, "")


def _named(rung: Rung, tickets: Sequence[str]) -> Rung:
    return Rung(rung.scenario, rung.y, rung.bars, rung.marks, ", ".join(tickets))


def _aside(cell: Cell, *, both: bool) -> float:
    if cell.control:
        return BETWEEN_MODES * 1.6
    if not both:
        return 0.0
    return -BETWEEN_MODES if _is_zookeeper(cell.kafka) else BETWEEN_MODES


def _said(cell: Cell) -> str:
    told = f"{cell.scenario} on Kafka {cell.column.label}: "
    told += f"{cell.reproduced} of {cell.conclusive} failed" if cell.conclusive else "no answer"
    return told + (f", {cell.expected} was expected" if cell.unexpected else "")


def _by_first_flip(names: Sequence[str], cells: Sequence[Cell]) -> list[str]:
    """By the last release that fails: the oldest failures come first, what never fails last."""

    def last(name: str) -> tuple[bool, tuple[int, ...]]:
        failing = [
            release_of(cell.kafka)
            for cell in cells
            if cell.scenario == name and cell.reproduced and not cell.control
        ]
        return not failing, max(failing, default=())

    return sorted(names, key=last)


def _places(played: Sequence[str]) -> Mapping[str, float]:
    """By time, at least a step apart, and all of them between LEFT and RIGHT."""
    begins = [_began(release) for release in played]
    span = max(1, (begins[-1] - begins[0]).days)
    places = [LEFT + (RIGHT - LEFT) * (each - begins[0]).days / span for each in begins]
    step = min(LEAST_STEP, (RIGHT - LEFT) / len(played))
    for at in range(1, len(places)):
        places[at] = max(places[at], places[at - 1] + step)
    places[-1] = min(places[-1], float(RIGHT))
    for at in reversed(range(len(places) - 1)):
        places[at] = min(places[at], places[at + 1] - step)
    return {release: round(place, 1) for release, place in zip(played, places, strict=True)}


def _labels(places: Mapping[str, float]) -> Iterator[tuple[float, str]]:
    """Lines of releases, as many as there is room for."""
    free, named = 0.0, set[str]()
    for release, x in places.items():
        if x >= free and _line(release) not in named:
            yield x, _line(release)
            free = x + LEAST_LABEL
        named.add(_line(release))


def _years(played: Sequence[str], places: Mapping[str, float]) -> Iterator[tuple[float, str]]:
    for before, after in pairwise(played):
        year = _began(after).year
        if year != _began(before).year:
            yield round((places[before] + places[after]) / 2, 1), str(year)


def _dates() -> Mapping[str, date]:
    """When each release was built, and where that is not known the day of its line."""
    return {row.version: row.built for row in rows() if row.built}


def _began(release: str) -> date:
    """The day of the first release of its line."""
    return min(built for each, built in _dates().items() if _line(each) == _line(release))


def _line(release: str) -> str:
    numbers = release_of(release)
    return ".".join(map(str, numbers[: 3 if numbers[0] == 0 else 2]))


def _release(kafka: str) -> str:
    return kafka.partition("-")[0]


def _is_zookeeper(kafka: str) -> bool:
    release, _, mode = kafka.partition("-")
    modes = next((row.modes for row in rows() if row.version == release), ("zookeeper",))
    return mode == "zk" or (not mode and modes[0] == "zookeeper")
