"""Commands on what was recorded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from json import loads
from pathlib import Path
from typing import Annotated

import typer

from highwater.checkers.session import start_first
from highwater.harness.errors import UsageError
from highwater.harness.model import SCHEMA_VERSION
from highwater.options import (
    Claims,
    CrossCheck,
    Json,
    Places,
    SparkMaster,
    reached,
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
    if not claim and any(map(_is_run, _identities(places))):
        start_first()
    from highwater import judging  # noqa: PLC0415

    raise typer.Exit(judging.check(places, claim, cross_check=cross_check, as_json=json))


def _identities(places: Sequence[str]) -> Iterator[Path]:
    return (path for place in places for path in Path(place).glob("**/run.json"))


def _is_run(identity: Path) -> bool:
    """Whether there is something to judge, as far as that can be said at once."""
    if not identity.is_file():
        return False
    try:
        schema = loads(identity.read_bytes())["schema"]
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return False
    return type(schema) is int and 1 <= schema <= SCHEMA_VERSION


@app.command()
def report(
    directory: Annotated[
        list[Path] | None,
        typer.Argument(
            callback=reached,
            help="A run, a comparison, a suite of pytest; several suites, or shards.",
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Where the report of several is to be; new.")
    ] = None,
    history: Annotated[
        Path | None,
        typer.Option(
            callback=reached,
            help="A folder of reports: what became of each test from one to the next.",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Write report.html, junit.xml, summary.md, metrics.txt again; of several, one with --out.

    With --history FOLDER, write FOLDER/history.html of all suites and comparisons below it.
    """
    if history is not None:
        from highwater import past  # noqa: PLC0415

        if directory or out:
            raise UsageError("--history takes a folder of reports, and no others and no --out")
        return past.report_history(history, as_json=json)
    from highwater import drawing  # noqa: PLC0415

    if not directory:
        raise UsageError("expected a directory to draw a report of, or --history with a folder")
    return drawing.report(directory, out, as_json=json)


@app.command()
def ladder(
    directory: Annotated[Path, typer.Argument(callback=reached, help="A comparison, or a matrix.")],
    svg: Annotated[Path, typer.Option(help="The picture to write.")],
    page: Annotated[str, typer.Option(help="Where its marks lead: a report.html.")] = "",
    json: Json = False,
) -> None:
    """Draw the releases along time, and a bar where each scenario fails."""
    from highwater import drawing  # noqa: PLC0415

    drawing.ladder(directory, svg, page, as_json=json)
