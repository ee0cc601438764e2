"""Commands about what there is to play with: the catalogue, jars, clusters, this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from highwater.options import (
    Backends,
    FirstPort,
    Image,
    Images,
    Json,
    Offline,
    Voters,
    Where,
    chosen_backend,
)

app = typer.Typer()


@app.command("list")
def list_(
    what: Annotated[str, typer.Argument(help="scenarios, faults, checkers, versions or clients")],
    json: Json = False,
) -> None:
    """Show what there is: scenarios, faults, checkers, versions or clients."""
    from highwater import listing  # noqa: PLC0415 - each command loads only what it needs

    listing.show(what, as_json=json)


@app.command()
def fetch(
    versions: Annotated[list[str], typer.Argument(help="Kafkas; or: ladder, all")],
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
    port: FirstPort = None,
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
def gate(
    upstream: Annotated[
        list[str], typer.Option(help="A broker, HOST:PORT; the others are asked for.")
    ],
    listen: Annotated[
        str, typer.Option(help="For clients: of the first broker; others follow. Port 0: any free.")
    ] = "127.0.0.1:0",
    control: Annotated[str, typer.Option(help="Where it is told what to do.")] = "127.0.0.1:8474",
    json: Json = False,
) -> None:
    """Stand between clients and brokers, and hold, drop or answer what HTTP says, until Ctrl-C.

    For tests in any language: each frame can be meant by api, client, partition and number.
    """
    from highwater import gating  # noqa: PLC0415

    gating.gate(upstream, listen, control, as_json=json)


@app.command()
def reach(  # noqa: PLR0913, PLR0917 - the options of the command line
    bootstrap: Annotated[str, typer.Argument(metavar="HOST:PORT,...", help="Your brokers.")],
    kafka: Annotated[str, typer.Option("--kafka", "-k", help="Which Kafka they are.")],
    config: Annotated[Path | None, typer.Option(help="As --kafka-attach-config of pytest.")] = None,
    kill: Annotated[str, typer.Option(help="As --kafka-kill of pytest; it is not run.")] = "",
    start: Annotated[str, typer.Option(help="As --kafka-start.")] = "",
    pause: Annotated[str, typer.Option(help="As --kafka-pause.")] = "",
    resume: Annotated[str, typer.Option(help="As --kafka-resume.")] = "",
    json: Json = False,
) -> None:
    """Say what tests can do with a cluster that they attach: which faults, and which claims not.

    Its brokers are asked who they are. Nothing is created there, and nothing is broken.
    """
    from highwater import attaching  # noqa: PLC0415 - each command loads only what it needs
    from highwater.backends import ATTACHED, Backend  # noqa: PLC0415
    from highwater.harness.hooks import Hooks  # noqa: PLC0415

    hooks = Hooks(kill=kill, start=start, pause=pause, resume=resume)
    there = Backend(ATTACHED, bootstrap=bootstrap, security=config, hooks=hooks)
    attaching.show_reach(kafka, there, as_json=json)


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
