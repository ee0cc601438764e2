"""Puts the report together: one HTML file that opens from disk and asks the network for nothing.

The file depends on its input alone: the same runs give the same bytes.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from hashlib import sha256
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
from highwater.reports.compared import Comparison, comparisons
from highwater.reports.drawn import Drawn, Group, NamedCell, Packing, draw
from highwater.reports.environments import Environment as MadeWith
from highwater.reports.environments import environments
from highwater.reports.headline import headline
from highwater.reports.packing import Packer
from highwater.reports.rewritten import of_cells
from highwater.reports.rungs import LEAST_RELEASES, rungs
from highwater.reports.table import Matrix, entry, matrix
from highwater.reports.wording import counted, seconds, slug, visible

MOST_COMPARED = 96  # columns of what clients achieved, in all scenarios
NOT_EXPECTED = "not as expected"
STYLES = ("style.css", "rungs.css")
# What is the same wherever a page was made: blocks of base64, in which any short path may stand by
# chance, the script and the style, and the policy that knows these two by their hashes.
AS_IT_IS = re.compile(r"(<meta .*?>|<style>.*?</style>|<script.*?</script>)", re.DOTALL)


def write_report(
    directory: Path, cells: Sequence[Mapping[str, Any]], runs: Sequence[StoredRun]
) -> Path:
    """Write `report.html` into `directory` and return its path.

    `cells` are those of compare.json; the paths under `runs` are relative to `directory`.
    What cannot be read of a run is said on the page. Raises RecordError for cells without a name.
    """
    known = read_cells(cells)
    named = [NamedCell(cell_id(cell), _title(cell), cell) for cell in known]
    packer = Packer(made_in(directory))
    drawn = draw(directory, named, runs, Packing(packer, template("cell.html.j2").render))
    return save(directory, render(known, drawn, packer))


def _title(cell: Cell) -> str:
    return f"{cell.scenario} on Kafka {cell.column.label}"


def made_in(directory: Path) -> str:
    """How a page would tell where it was made: it is shown to others, and this is not."""
    return str(escape(visible(str(directory.resolve())))) + "/"


def save(directory: Path, html: str, name: str = "report.html") -> Path:
    """Write a page, without the place where it was made."""
    write_text(directory / name, _anywhere(html, made_in(directory)))
    return directory / name


def _anywhere(html: str, place: str) -> str:
    """A page as if it had been made nowhere; what it shows is escaped, and is no tag."""
    pieces = enumerate(AS_IT_IS.split(html))
    return "".join(piece if at % 2 else piece.replace(place, "") for at, piece in pieces)


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
    environment.globals |= {**_chrome(), "blocks": (), "part": ""}
    return environment.get_template(name)


@cache
def _chrome() -> dict[str, str]:
    """Style and script of every page, and the policy that lets these two through and nothing else.

    https://www.w3.org/TR/CSP3/#match-element-to-source-list: by the hash of what stands between
    the tags, to the byte.
    """
    folder = Path(__file__).parent / "templates"
    style, script = (
        "".join((folder / name).read_text(encoding="utf-8") for name in names)
        for names in (STYLES, ("behaviour.js",))
    )
    policy = "; ".join(
        [
            "default-src 'none'",
            f"style-src {_source(style)}",
            f"script-src {_source(script)}",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )
    # S704: our own files
    return {"style": Markup(style), "script": Markup(script), "policy": Markup(policy)}  # noqa: S704


def _source(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _shown(content: Any) -> Any:
    """What is markup already has been through here."""
    return visible(content) if type(content) is str else content


def render(cells: Sequence[Cell], drawn: Drawn, packer: Packer) -> str:
    view = matrix(cells, drawn.links)
    entries = {cell_id(cell): entry(cell, drawn.links) for cell in cells}
    compared = _packed(comparisons(cells), packer, view)
    return template("report.html.j2").render(
        headline=headline(cells),
        known=[cell for cell in cells if cell.explained],
        told=[told for cell in cells for told in cell.told],
        rewritten=of_cells(cells),
        matrix=view,
        several_backends=view.several_backends,
        listed=sorted(entries.values(), key=lambda each: not each.cell.unexpected),
        columns=[column.label for column in view.columns],
        claims=sorted({claim for cell in cells for claim in cell.anomalies}),
        results=[*sorted({cell.result for cell in cells}), NOT_EXPECTED],
        ladder=rungs(cells, {cell.scenario: cell.source for cell in cells}),
        comparisons=compared,
        pairs=pairs(drawn.telling),
        groups=drawn.groups,
        entries=entries,
        opened=_opened(drawn.groups),
        environments=environments(drawn.surroundings),
        cell_id=cell_id,
        link=lambda cell: f"#{cell_id(cell)}",
        packed=counted(sum(bool(group.part) for group in drawn.groups), "cell"),
        blocks=packer.blocks(),
    )


def _packed(told: Sequence[Comparison], packer: Packer, view: Matrix) -> Sequence[Comparison]:
    """Tables of many columns, or many tables, are opened one by one."""
    if len(told) * len(view.columns) <= MOST_COMPARED:
        return told
    made = template("comparison.html.j2")
    several = view.several_backends
    return [
        replace(each, part=packer.add(made.render(each=each, several_backends=several)))
        for each in told
    ]


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


def _opened(groups: Sequence[Group]) -> str:
    """The run that stands open: the first that shows the failure, else the first."""
    shown = [each for group in groups for each in group.exhibits]
    telling = [each for each in shown if each.word == Ending.REPRODUCED.value]
    return next((each.id for each in [*telling, *shown]), "")
