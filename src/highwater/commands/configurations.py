"""Commands about a configuration of the user's own: what it permits."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from highwater.options import Json, Offline, Out, Reruns, Resume, Where, chosen_backend

app = typer.Typer()


@app.command()
def accept(  # noqa: PLR0913, PLR0917 - the options of the command line
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Your server.properties.")],
    kafka: Annotated[str, typer.Option("--kafka", "-k", help="The release that you run.")],
    feature: Annotated[
        list[str] | None,
        typer.Option(help="As your cluster has it: eligible.leader.replicas.version=0."),
    ] = None,
    trials: Annotated[
        int, typer.Option("--trials", "-n", min=1, max=1000, help="Plays of each scenario.")
    ] = 1,
    reruns: Reruns = 0,
    out: Out = None,
    resume: Resume = False,
    offline: Offline = False,
    json: Json = False,
) -> None:
    """Say which losses a configuration permits, and show what changing the setting does.

    Each scenario that a setting decides is played with the settings of FILE, on brokers of our own.
    """
    from highwater import accepting  # noqa: PLC0415 - each command loads only what it needs
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
    raise typer.Exit(accepting.accept(file, kafka, feature or [], options))


@app.command("rehearse-upgrade")
def rehearse_upgrade(  # noqa: PLR0913, PLR0917 - the options of the command line
    begins: Annotated[str, typer.Argument(metavar="FROM", help="The release that you run.")],
    ends: Annotated[str, typer.Argument(metavar="TO", help="The one that you want to run.")],
    config: Annotated[Path | None, typer.Option(help="Your server.properties.")] = None,
    reruns: Reruns = 0,
    out: Out = None,
    resume: Resume = False,
    offline: Offline = False,
    json: Json = False,
) -> None:
    """Upgrade a cluster with your settings under load, and let a leader die at every step.

    Nodes are restarted as Kafka's notes on upgrading say; after each step a laggard is elected.
    """
    from highwater import rehearsing  # noqa: PLC0415
    from highwater.playing import Options  # noqa: PLC0415

    options = Options(
        trials=1,
        reruns=reruns,
        backend=chosen_backend(Where.PROCESS, None),
        out=out,
        offline=offline,
        json=json,
        resume=resume,
    )
    raise typer.Exit(rehearsing.rehearse(begins, ends, config, options))
