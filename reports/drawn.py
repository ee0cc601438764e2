"""Which trials of a page are drawn in full, which are packed, and what is kept of each.

A page of few runs has all of them, as they are. Of many it has what matters most as it is, and
packs the others, so that it opens as quickly: what is not as expected, then of each scenario the
first cell that shows the failure and the first that does not.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from highwater.harness.model import Ending
from highwater.harness.record.reader import StoredRun
from highwater.reports.cells import Cell
from highwater.reports.exhibit import Exhibit, exhibit
from highwater.reports.packing import Packer
from highwater.reports.table import TrialLink
from highwater.reports.trials import relative_path
from highwater.reports.wording import compact

MOST_RUNS_IN_FULL = 24  # beyond, charts are those of the first trials of cells
MOST_UNPACKED = 10  # runs, where there are more
MOST_PACKED = 2_500_000  # bytes of blocks with charts
AROUND = ("kafka", "tool", "java", "backend", "image", "jars", "started_at")


@dataclass(frozen=True, slots=True)
class NamedCell:
    id: str
    title: str
    cell: Cell | None  # None: runs that no cell names


Own = tuple[NamedCell, Sequence[StoredRun]]


@dataclass(frozen=True, slots=True)
class Group:
    """The trials of one cell; with a `part` they are packed, and `exhibits` is empty."""

    id: str
    title: str
    cell: Cell | None
    exhibits: Sequence[Exhibit]
    part: str = ""
    ids: str = ""  # what the ids of its trials begin with


@dataclass(frozen=True, slots=True)
class Packing:
    packer: Packer
    html: Callable[..., str]  # of the trials of a `group`


@dataclass(slots=True)
class Drawn:
    """What is kept of all runs when each has been drawn."""

    groups: list[Group] = field(default_factory=list)
    links: dict[str, TrialLink] = field(default_factory=dict)
    surroundings: list[Mapping[str, Any]] = field(default_factory=list)
    telling: list[Exhibit] = field(default_factory=list)  # with charts, two of each scenario
    _jars: dict[str, Any] = field(default_factory=dict)

    def keep(self, group: Group) -> None:
        for number, each in enumerate(group.exhibits, start=1):
            self.links[each.path] = TrialLink(each.id, number, each.word)
            around = {name: each.identity[name] for name in AROUND if name in each.identity}
            if "jars" in around:  # the same of thousands of runs
                around["jars"] = self._jars.setdefault(compact(around["jars"]), around["jars"])
            self.surroundings.append(around)
            if each.charts and not any(_alike(each, other) for other in self.telling):
                self.telling.append(each)


def draw(
    directory: Path, named: Sequence[NamedCell], runs: Sequence[StoredRun], packing: Packing
) -> Drawn:
    """Every run, in the order of the cells; those that no cell names at the end."""
    told = _told(directory, named, runs)
    few = len(runs) <= MOST_RUNS_IN_FULL
    drawn, groups = Drawn(), dict[str, Group]()
    unpacked = 0
    for each, own in told if few else _ranked(told):
        whole = len(own) if few else int(packing.packer.size < MOST_PACKED)
        shown = [exhibit(run, directory, brief=at >= whole) for at, run in enumerate(own)]
        group = Group(each.id, each.title, each.cell, shown)
        drawn.keep(group)
        unpacked += len(own)
        groups[each.id] = group if few or unpacked <= MOST_UNPACKED else _packed(group, packing)
    drawn.groups = [groups[each.id] for each, _ in told]
    return drawn


def _told(directory: Path, named: Sequence[NamedCell], runs: Sequence[StoredRun]) -> Sequence[Own]:
    stored = {relative_path(run.path, directory): run for run in runs}
    told: list[Own] = []
    for each in named:
        paths = each.cell.runs if each.cell else ()
        told.append((each, [stored.pop(path) for path in paths if path in stored]))
    if stored:
        told.append((NamedCell("other-runs", "Runs outside the table", None), [*stored.values()]))
    return told


def _packed(group: Group, packing: Packing) -> Group:
    part = packing.packer.add(packing.html(group=group, opened=""))
    begin = os.path.commonprefix([each.id for each in group.exhibits])  # noqa: RUF071 - of names
    return Group(group.id, group.title, group.cell, (), part, begin)


def _ranked(told: Sequence[Own]) -> Iterator[Own]:
    """What is not as expected, then the first of each scenario and result, then the others."""
    seen: set[tuple[str, str]] = set()
    ranks = []
    for each, own in told:
        key = (each.cell.scenario, each.cell.result) if each.cell else ("", "")
        ranks.append((not (each.cell and each.cell.unexpected), key in seen, each, own))
        seen.add(key)
    for _, _, each, own in sorted(ranks, key=lambda rank: rank[:2]):
        yield each, own


def _alike(one: Exhibit, other: Exhibit) -> bool:
    """Both show a scenario's failure, or neither does: one of them is laid beside another."""
    same = one.identity.get("scenario") == other.identity.get("scenario")
    return (same and one.word == other.word) or one.word == Ending.INCONCLUSIVE.value
