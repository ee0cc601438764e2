"""Commands about clients."""

from __future__ import annotations

from typing import Annotated

import typer

from highwater.options import (
    Json,
    Offline,
    Out,
    Reruns,
    Resume,
    Scenarios,
    Trials,
    Where,
    chosen_backend,
)

adapter = typer.Typer(help="Programs that make clients of other languages known to Highwater.")
app = typer.Typer()
app.add_typer(adapter, name="adapter")


@app.command()
def clients(  # noqa: PLR0913, PLR0917 - the options of the command line
    client: Annotated[
        list[str] | None,
        typer.Option("--client", "-c", help="confluent (ours), java:3.9.1, ... Default: all."),
    ] = None,
    kafka: Annotated[str, typer.Option("--kafka", "-k", help="Which broker.")] = "4.1.1",
    scenario: Scenarios = None,
    trials: Trials = 3,
    reruns: Reruns = 0,
    out: Out = None,
    resume: Resume = False,
    offline: Offline = False,
    json: Json = False,
) -> None:
    """Play the scenarios that any client can play with several clients, and line them up."""
    from highwater import client_ladder  # noqa: PLC0415
    from highwater.playing import Options  # noqa: PLC0415

    options = Options(
        trials=trials,
        reruns=reruns,
        backend=chosen_backend(Where.PROCESS, None),
        out=out,
        offline=offline,
        json=json,
        resume=resume,
    )
    raise typer.Exit(client_ladder.clients(client or [], scenario or [], kafka, options))


@adapter.callback()
def adapters() -> None:
    """Programs that make clients of other languages known to Highwater."""


@adapter.command(context_settings={"ignore_unknown_options": True})
def check(
    command: Annotated[
        list[str],
        typer.Argument(help="The words that start it, or a name: java, java:3.9.1, sarama"),
    ],
    kafka: Annotated[str, typer.Option("--kafka", "-k", help="Which broker.")] = "4.1.1",
    json: Json = False,
) -> None:
    """Hold an adapter against each rule of the protocol in docs/adapters.md, on a real broker."""
    from highwater import conforming  # noqa: PLC0415 - each command loads only what it needs

    backend = chosen_backend(Where.PROCESS, None)
    raise typer.Exit(conforming.check(command, kafka, backend, as_json=json))
