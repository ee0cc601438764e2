"""Commands on what was recorded."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from highwater.checkers.session import start_first
from highwater.options import (
    Claims,
    CrossCheck,
    Json,
    Places,
    SparkMaster,
)

app = typer.Typer()


@app.command()
def check(
    places: Places,
    claim: Claims = None,
    cross_check: CrossCheck = False,
    _spark_master: SparkMaster = None,
    json: Json = False,
) -> None:
    """Judge recorded runs again: our own, killed ones, foreign records, wherever they lie."""
    if not claim and any(_may_have_a_run(Path(place)) for place in places):
        start_first()
    from highwater import judging  # noqa: PLC0415

    raise typer.Exit(judging.check(places, claim, cross_check=cross_check, as_json=json))


def _may_have_a_run(directory: Path) -> bool:
    return next(directory.glob("**/run.json"), None) is not None


@app.command()
def report(
    directory: Annotated[Path, typer.Argument(help="A run, a comparison, or a suite of pytest.")],
    json: Json = False,
) -> None:
    """Write report.html, junit.xml and summary.md again from what was recorded."""
    from highwater import drawing  # noqa: PLC0415

    drawing.report(directory, as_json=json)


@app.command()
def ladder(
    directory: Annotated[Path, typer.Argument(help="A comparison, or a matrix.")],
    svg: Annotated[Path, typer.Option(help="The picture to write.")],
    page: Annotated[str, typer.Option(help="Where its marks lead: a report.html.")] = "",
    json: Json = False,
) -> None:
    """Draw the releases along time, and a bar where each scenario fails."""
    from highwater import drawing  # noqa: PLC0415

    drawing.ladder(directory, svg, page, as_json=json)
