"""Puts the report together: one HTML file that opens from disk and asks the network for nothing.

The file depends on its input alone: the same runs give the same bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup, escape

from highwater.harness.errors import RecordError
from highwater.harness.model import Ending
from highwater.harness.record.files import write_text
from highwater.harness.record.reader import StoredRun, open_run
from highwater.reports.beside import pairs
from highwater.reports.cells import Cell, read_cells
from highwater.reports.compared import comparisons
from highwater.reports.environments import Environment as MadeWith
from highwater.reports.environments import environments
from highwater.reports.exhibit import Exhibit, exhibit
from highwater.reports.headline import headline
from highwater.reports.rungs import LEAST_RELEASES, rungs
from highwater.reports.table import TrialLink, entry, matrix
from highwater.reports.trials import relative_path
from highwater.reports.wording import seconds, slug, visible

MOST_RUNS_IN_FULL = 24  # beyond, only the first trials of each cell keep their charts
TRIALS_IN_FULL = 1


@dataclass(frozen=True, slots=True)
class Group:
    """The trials of one cell; `cell` is None for runs that no cell names."""

    id: str
    title: str
    cell: Cell | None
    exhibits: Sequence[Exhibit]


def write_report(
    directory: Path, cells: Sequence[Mapping[str, Any]], runs: Sequence[StoredRun]
) -> Path:
    """Write `report.html` into `directory` and return its path.

    `cells` are those of compare.json; the paths under `runs` are relative to `directory`.
    What cannot be read of a run is said on the page. Raises RecordError for cells without a name.
    """
    known = read_cells(cells)
    return save(directory, render(known, _groups(directory, known, runs)))


def save(directory: Path, html: str) -> Path:
    """Write `report.html`: it is shown to others, and where it was made is nobody's business."""
    place = str(escape(visible(str(directory.resolve()))))
    write_text(directory / "report.html", html.replace(place + "/", ""))
    return directory / "report.html"


def template(name: str) -> Template:
    """One of the templates beside this module."""
    environment = Environment(
        loader=PackageLoader("highwater.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["seconds"] = seconds
    return environment.get_template(name)


def _shown(content: Any) -> Any:
    """What is markup already has been through here."""
    return visible(content) if type(content) is str else content


def render(cells: Sequence[Cell], groups: Sequence[Group]) -> str:
    links = {
        each.path: TrialLink(each.id, number, each.word)
        for group in groups
        for number, each in enumerate(group.exhibits, start=1)
    }
    shown = [each for group in groups for each in group.exhibits]
    return template("report.html.j2").render(
        headline=headline(cells),
        matrix=matrix(cells, links),
        ladder=rungs(cells, {cell.scenario: cell.source for cell in cells}),
        comparisons=comparisons(cells),
        pairs=pairs(shown),
        groups=groups,
        entries={group.id: entry(group.cell, links) for group in groups if group.cell},
        opened=_opened(shown),
        environments=environments([each.identity for each in shown]),
        cell_id=cell_id,
        link=lambda cell: f"#{cell_id(cell)}",
    )


def picture(cells: Sequence[Cell], page: str) -> str:
    """The ladder as a file of its own, an SVG; its marks lead to the cells of `page`, if it says.

    Raises RecordError where there is nothing to draw: too few releases of the catalogue.
    """
    view = rungs(cells, {cell.scenario: cell.source for cell in cells})
    if view is None:
        raise RecordError(
            f"expected cells on {LEAST_RELEASES} releases of the catalogue or more, which a ladder "
            f"needs, saw them on {', '.join(sorted({cell.kafka for cell in cells})) or 'none'}"
        )

    def target(cell: Cell) -> str:
        return f"{page}#{cell_id(cell)}" if page else ""

    style = (Path(__file__).parent / "templates" / "rungs.css").read_text(encoding="utf-8")
    return template("rungs.svg.j2").render(
        view=view,
        target=target,
        alone=True,
        style=Markup(style),  # noqa: S704 - our own
    )


def made_with(directory: Path, cells: Sequence[Cell]) -> Sequence[MadeWith]:
    """What the runs of these cells were made with, of those that are there."""
    runs = [directory / run for cell in cells for run in cell.runs]
    return environments([open_run(each).identity for each in runs if (each / "run.json").exists()])


def cell_id(cell: Cell) -> str:
    """Link target of a cell: the same as long as scenario, version and backend are."""
    return f"cell-{slug(f'{cell.scenario}-{cell.column.label}-{cell.backend}')}"


def _groups(directory: Path, cells: Sequence[Cell], runs: Sequence[StoredRun]) -> list[Group]:
    stored = {relative_path(run.path, directory): run for run in runs}
    groups = []
    for cell in cells:
        own = [stored.pop(path) for path in cell.runs if path in stored]
        title = f"{cell.scenario} on Kafka {cell.column.label}"
        groups.append(Group(cell_id(cell), title, cell, _exhibits(own, directory, len(runs))))
    if stored:
        rest = _exhibits(list(stored.values()), directory, len(runs))
        groups.append(Group("other-runs", "Runs outside the table", None, rest))
    return groups


def _exhibits(own: Sequence[StoredRun], directory: Path, total: int) -> list[Exhibit]:
    return [
        exhibit(run, directory, brief=total > MOST_RUNS_IN_FULL and number >= TRIALS_IN_FULL)
        for number, run in enumerate(own)
    ]


def _opened(exhibits: Sequence[Exhibit]) -> str:
    """The run that stands open: the first that shows the failure, else the first."""
    telling = [each for each in exhibits if each.word == Ending.REPRODUCED.value]
    return next((each.id for each in [*telling, *exhibits]), "")
