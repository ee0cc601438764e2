"""The command line: parses and delegates, decides nothing."""

from __future__ import annotations

import signal
import sys
from importlib import metadata
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from highwater.backends import Backend
from highwater.console import err
from highwater.harness.errors import HighwaterError, Interrupted, UsageError, in_words
from highwater.harness.patience import interrupt, is_interrupted
from highwater.options import (
    Attach,
    Backends,
    Claims,
    Controls,
    CrossCheck,
    Directory,
    FirstPort,
    Image,
    Images,
    Json,
    Offline,
    Out,
    Places,
    Reruns,
    Resume,
    Scenarios,
    Shard,
    SparkMaster,
    Trials,
    Versions,
    Voters,
    Where,
    chosen_backend,
    compose_project,
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"highwater {metadata.version('highwater')}")
        raise typer.Exit


app = typer.Typer(
    name="highwater",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def highwater(
    _version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Say which one this is."),
    ] = False,
) -> None:
    """See, on real brokers, when Apache Kafka loses or forks data."""


@app.command("list")
def list_(
    what: Annotated[str, typer.Argument(help="scenarios, faults, checkers or versions")],
    json: Json = False,
) -> None:
    """Show what there is: scenarios, faults, checkers or versions."""
    from highwater import listing  # noqa: PLC0415 - each command loads only what it needs

    listing.show(what, as_json=json)


@app.command()
def run(  # noqa: PLR0913, PLR0917 - the options of the command line
    scenario: Annotated[str, typer.Argument(help="Its name; see: highwater list scenarios")],
    kafka: Versions = None,
    kafka_dir: Directory = None,
    control: Controls = None,
    trials: Trials = 1,
    reruns: Reruns = 0,
    backend: Backends = Where.PROCESS,
    image: Image = None,
    attach: Attach = None,
    out: Out = None,
    offline: Offline = False,
    json: Json = False,
) -> None:
    """Play one scenario on one Kafka, judge it, and write a report."""
    from highwater import playing  # noqa: PLC0415

    if attach is not None and (kafka or kafka_dir or control or image):
        raise UsageError("--attach plays on what is there: no --kafka, --control or --image")
    project = None if attach is None else compose_project(attach)
    where = Backend("docker", project=project) if project else chosen_backend(backend, image)
    options = playing.Options(
        trials=trials, reruns=reruns, backend=where, out=out, offline=offline, json=json
    )
    if project is not None:
        raise typer.Exit(playing.attached(scenario, project, options))
    if len(kafka or []) + (kafka_dir is not None) != 1:
        raise UsageError("run plays on one Kafka: give --kafka VERSION or --kafka-dir PATH, once")
    wanted = playing.Wanted([scenario], kafka or [], kafka_dir, control or [], both=False)
    raise typer.Exit(playing.compare(wanted, options))


@app.command()
def compare(  # noqa: PLR0913, PLR0917 - the options of the command line
    scenario: Scenarios = None,
    kafka: Versions = None,
    kafka_dir: Directory = None,
    control: Controls = None,
    trials: Trials = 3,
    reruns: Reruns = 0,
    backend: Backends = Where.PROCESS,
    image: Image = None,
    out: Out = None,
    resume: Resume = False,
    shard: Shard = "1/1",
    offline: Offline = False,
    json: Json = False,
) -> None:
    """Play scenarios on several Kafkas and line them up in one table and one report.

    A control adds a row on every Kafka where it applies, beside the row without it.
    """
    from highwater import playing  # noqa: PLC0415

    wanted = playing.Wanted(scenario or [], kafka or [], kafka_dir, control or [], both=True)
    options = playing.Options(
        trials=trials,
        reruns=reruns,
        backend=chosen_backend(backend, image),
        out=out,
        offline=offline,
        json=json,
        resume=resume,
        shard=shard,
    )
    raise typer.Exit(playing.compare(wanted, options))


@app.command()
def matrix(  # noqa: PLR0913, PLR0917 - the options of the command line
    scenario: Scenarios = None,
    fast: Annotated[bool, typer.Option("--fast", help="Only both sides of every flip.")] = False,
    trials: Trials = 3,
    reruns: Reruns = 0,
    backend: Backends = Where.PROCESS,
    image: Image = None,
    out: Out = None,
    resume: Resume = False,
    shard: Shard = "1/1",
    offline: Offline = False,
    json: Json = False,
) -> None:
    """Play the whole ladder: each scenario where its outcome flips, neighbours and controls."""
    from highwater import playing  # noqa: PLC0415

    options = playing.Options(
        trials=trials,
        reruns=reruns,
        backend=chosen_backend(backend, image),
        out=out,
        offline=offline,
        json=json,
        resume=resume,
        shard=shard,
    )
    raise typer.Exit(playing.matrix(scenario or [], options, fast=fast))


@app.command()
def check(
    places: Places,
    claim: Claims = None,
    cross_check: CrossCheck = False,
    _spark_master: SparkMaster = None,
    json: Json = False,
) -> None:
    """Judge recorded runs again: our own, killed ones, foreign records, wherever they lie."""
    from highwater import judging  # noqa: PLC0415

    raise typer.Exit(judging.check(places, claim, cross_check=cross_check, as_json=json))


@app.command()
def report(
    directory: Annotated[Path, typer.Argument(help="A run, a comparison, or a suite of pytest.")],
    json: Json = False,
) -> None:
    """Write report.html and junit.xml again from what was recorded."""
    from highwater import drawing  # noqa: PLC0415

    drawing.report(directory, as_json=json)


@app.command()
def fetch(
    versions: Annotated[list[str], typer.Argument(help="Kafkas of the catalogue, or: all")],
    images: Images = False,
    json: Json = False,
) -> None:
    """Download and verify the jars of some Kafkas, so that --offline works later."""
    from highwater import fetching  # noqa: PLC0415

    fetching.fetch(versions, images=images, as_json=json)


@app.command("image-base")
def image_base() -> None:
    """Build a base image with a Java where none can be pulled (root, with debootstrap)."""
    from highwater import fetching  # noqa: PLC0415

    fetching.image_base()


@app.command()
def up(  # noqa: PLR0913, PLR0917 - the options of the command line
    version: Annotated[str, typer.Argument(help="A Kafka of the catalogue.")],
    brokers: Annotated[int, typer.Option(min=1, max=9)] = 3,
    voters: Voters = 1,
    port: Annotated[int | None, typer.Option(help="Of the first broker; others follow.")] = None,
    backend: Backends = Where.PROCESS,
    image: Image = None,
    offline: Offline = False,
    json: Json = False,
) -> None:
    """Start a cluster to play with, the gate included, until Ctrl-C."""
    from highwater import standing  # noqa: PLC0415

    spec = standing.spec_of(brokers, voters, port)
    standing.up(version, spec, chosen_backend(backend, image), offline=offline, as_json=json)


@app.command()
def compose(
    version: Annotated[str, typer.Argument(help="A Kafka of the catalogue.")],
    brokers: Annotated[int, typer.Option(min=1, max=9)] = 3,
    voters: Voters = 1,
    port: FirstPort = None,
    subnet: Annotated[str | None, typer.Option(help="Of its network, such as 10.9.8.0/24.")] = None,
) -> None:
    """Print a compose file of a cluster such as we play on; run --attach plays on it."""
    from highwater import composing  # noqa: PLC0415

    composing.show(version, brokers=brokers, voters=voters, port=port, subnet=subnet)


@app.command()
def doctor(json: Json = False) -> None:
    """Say what this machine can run, and what is missing."""
    from highwater import machine  # noqa: PLC0415

    raise typer.Exit(machine.doctor(as_json=json))


@app.command()
def clean(
    cache: Annotated[bool, typer.Option("--cache", help="Also the jars and archives.")] = False,
    json: Json = False,
) -> None:
    """Remove what crashed runs left: directories, and containers and networks in Docker."""
    from highwater import machine  # noqa: PLC0415

    machine.clean(cache=cache, as_json=json)


def main() -> None:
    """Run the command line; a mistake is one message, never a traceback."""
    signal.signal(signal.SIGINT, interrupt)
    signal.signal(signal.SIGTERM, interrupt)
    try:
        app()
    except HighwaterError as error:
        if is_interrupted():  # that is why
            _end_interrupted(error)
        err.print("[bold red]error:[/]", end=" ")
        err.print(in_words(error), markup=False, soft_wrap=True)
        sys.exit(error.exit_code)
    except Interrupted as error:
        _end_interrupted(error)


def _end_interrupted(error: BaseException) -> NoReturn:
    for note in getattr(error, "__notes__", ()):
        err.print(note, markup=False, soft_wrap=True)
    err.print("interrupted; everything that was started has ended")
    sys.exit(3)


if __name__ == "__main__":
    main()
