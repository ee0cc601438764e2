"""Commands that play: on one Kafka, on several, on the whole ladder."""

from __future__ import annotations

from typing import Annotated

import typer

from highwater.backends import Backend
from highwater.harness.errors import UsageError
from highwater.options import (
    Attach,
    Backends,
    Controls,
    Directory,
    Image,
    Json,
    Offline,
    Out,
    Owned,
    Reruns,
    Resume,
    Scenarios,
    Shard,
    Trials,
    Versions,
    Where,
    WhichMode,
    chosen_backend,
    compose_project,
)

app = typer.Typer()


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
    owned: Owned = False,
    out: Out = None,
    offline: Offline = False,
    json: Json = False,
) -> None:
    """Play one scenario on one Kafka, judge it, and write a report."""
    from highwater import playing  # noqa: PLC0415
    from highwater.adopting import SETS  # noqa: PLC0415

    if attach is not None and (kafka or kafka_dir or control or image):
        raise UsageError("--attach plays on what is there: no --kafka, --control or --image")
    if owned and attach is None:
        raise UsageError("--i-own-this-cluster says something of --attach, and there is none")
    project = None if attach is None else compose_project(attach)
    where = Backend("docker", project=project) if project else chosen_backend(backend, image)
    options = playing.Options(
        trials=trials, reruns=reruns, backend=where, out=out, offline=offline, json=json
    )
    if project is not None:
        raise typer.Exit(playing.attached(scenario, project, options, owned=owned))
    if len(kafka or []) + (kafka_dir is not None) != 1:
        raise UsageError("run plays on one Kafka: give --kafka VERSION or --kafka-dir PATH, once")
    for several in SETS.keys() & set(kafka or []):
        raise UsageError(f"run plays on one Kafka, and {several!r} is many: use compare for these")
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
    fast: Annotated[bool, typer.Option("--fast", help="Of what flips, both sides alone.")] = False,
    ends: Annotated[
        bool,
        typer.Option("--ends", help="Also oldest, middle, newest Kafka, and where a play turns."),
    ] = False,
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
    """Play the ladder: each scenario where its outcome flips, and under its controls.

    One that never flips is played on the newest Kafka. Without `-s` all that ask about brokers;
    `highwater clients` plays those that any client can.
    """
    from highwater import ladder, playing  # noqa: PLC0415

    if fast and ends:
        raise UsageError("expected --fast or --ends, saw both")
    whole = ladder.Extent.ENDS if ends else ladder.Extent.CONTROLS
    extent = ladder.Extent.FLIPS if fast else whole
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
    raise typer.Exit(playing.matrix(scenario or [], options, extent))


@app.command()
def bisect(  # noqa: PLR0913, PLR0917 - the options of the command line
    subject: Annotated[
        str, typer.Argument(help="A scenario, a schedule's file, or path/test_x.py::test_y")
    ],
    good: Annotated[str | None, typer.Option(help="Where it holds. Default: the newest.")] = None,
    bad: Annotated[
        str | None, typer.Option(help="Where it fails. Default: the oldest; where it was found.")
    ] = None,
    mode: WhichMode = None,
    trials: Trials = 3,
    reruns: Reruns = 2,
    backend: Backends = Where.PROCESS,
    out: Out = None,
    resume: Resume = False,
    offline: Offline = False,
    json: Json = False,
) -> None:
    """Find the release with which a scenario, a schedule, or a test begins or ceases to fail."""
    from highwater import bisecting  # noqa: PLC0415
    from highwater.playing import Options  # noqa: PLC0415

    options = Options(
        trials=trials,
        reruns=reruns,
        backend=chosen_backend(backend, None),
        out=out,
        offline=offline,
        json=json,
        resume=resume,
    )
    ends = bisecting.Ends(good=good, bad=bad, mode=mode.value if mode else None)
    raise typer.Exit(bisecting.bisect(subject, ends, options))
