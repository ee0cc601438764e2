"""Commands about schedules: found by chance, played again, made small."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from highwater.harness.errors import UsageError
from highwater.options import (
    Backends,
    Image,
    Json,
    Offline,
    Out,
    Reruns,
    Resume,
    Shard,
    Versions,
    Where,
    chosen_backend,
    reached,
)

app = typer.Typer()

SECONDS = {"s": 1, "m": 60, "h": 3600}
File = Annotated[
    Path,
    typer.Argument(
        metavar="FILE", callback=reached, help="A schedule, or the directory of a run with one."
    ),
]

Moves = Annotated[
    str,
    typer.Option(
        help="gentle; busy: sends go on; rough: brokers die; power: and lose what is unflushed; "
        "neighbours: as rough, with two partitions; topics: and are moved and created anew; "
        "disks: and are replaced; clocks: and jump; "
        "idempotent: brokers die, and what has no answer is sent again; "
        "transactions; rough-transactions: and brokers die; groups: of their positions; "
        "members: and of who is in them; pipelines: in transactions; "
        "quorum: the controllers are at odds."
    ),
]
Topology = Annotated[
    str | None,
    typer.Option(
        help="plain; voters: three who keep the metadata; combined: the brokers do (KRaft); "
        "clocks: with libfaketime; patient: requests to controllers may be late. "
        "[default: as moves take it]"
    ),
]
ShrinkBudget = Annotated[
    str, typer.Option(help="How long steps are left out of a finding; then the smallest is kept.")
]

Recorded = Annotated[
    int, typer.Option("--trials", "-n", min=0, help="Recorded plays of what is found.")
]
Like = Annotated[
    Path | None,
    typer.Option(
        callback=reached, help="Another --out with this seed: says where the two searches parted."
    ),
]


def seconds_of(text: str) -> float:
    """Of such as 90s, 10m or 2h; raises UsageError for anything else."""
    match = re.fullmatch(r"([0-9]{1,6})([smh])", text)
    if not match or not int(match[1]):
        raise UsageError(f"expected a time such as 90s, 10m or 2h, saw {text!r}")
    return float(int(match[1]) * SECONDS[match[2]])


@app.command()
def explore(  # noqa: PLR0913, PLR0917 - the options of the command line
    kafka: Annotated[str, typer.Option("--kafka", "-k", help="Which broker.")] = "4.1.1",
    seed: Annotated[int, typer.Option(min=0, help="Of all chance.")] = 1,
    budget: Annotated[str, typer.Option(help="How long to search: 90s, 10m, 2h.")] = "10m",
    strategy: Annotated[str, typer.Option(help="guided, uniform, nemesis, or mixed.")] = "guided",
    moves: Moves = "gentle",
    topology: Topology = None,
    findings: Annotated[int, typer.Option(min=1, help="How many are enough.")] = 1,
    trials: Recorded = 10,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Directory; a used one is gone on with.")
    ] = None,
    shrink_budget: ShrinkBudget = "3m",
    like: Like = None,
    shard: Shard = "1/1",
    offline: Offline = False,
) -> None:
    """Search for losses that nobody wrote down: schedules by chance, guided by what they came to.

    What is found is shrunk, and played with a whole record on its release and those beside it.
    """
    from highwater import exploring  # noqa: PLC0415 - each command loads only what it needs

    search = exploring.Search(
        kafka=kafka,
        seed=seed,
        budget_s=seconds_of(budget),
        strategy=strategy,
        moves=moves,
        topology=topology,
        findings=findings,
        trials=trials,
        out=out,
        offline=offline,
        shard=shard,
        shrink_s=seconds_of(shrink_budget),
        like=like,
    )
    raise typer.Exit(exploring.explore(search))


@app.command()
def replay(  # noqa: PLR0913, PLR0917 - the options of the command line
    file: File,
    kafka: Versions = None,
    trials: Annotated[int, typer.Option("--trials", "-n", min=1, max=1000)] = 10,
    reruns: Reruns = 0,
    backend: Backends = Where.PROCESS,
    image: Image = None,
    out: Out = None,
    resume: Resume = False,
    offline: Offline = False,
    json: Json = False,
) -> None:
    """Play a schedule again, by states and not by the clock, recorded and judged."""
    from highwater import replaying  # noqa: PLC0415
    from highwater.playing import Options  # noqa: PLC0415

    options = Options(
        trials=trials,
        reruns=reruns,
        backend=chosen_backend(backend, image),
        out=out,
        offline=offline,
        json=json,
        resume=resume,
    )
    raise typer.Exit(replaying.replay(file, kafka or [], options))


@app.command()
def shrink(
    file: File,
    kafka: Annotated[
        str | None, typer.Option("--kafka", "-k", help="Default: the one it was found on.")
    ] = None,
    shrink_budget: ShrinkBudget = "3m",
    offline: Offline = False,
) -> None:
    """Leave out of a schedule what it does not need, and make the rest plain."""
    from highwater import replaying  # noqa: PLC0415

    budget_s = seconds_of(shrink_budget)
    raise typer.Exit(replaying.shrink(file, kafka, offline=offline, budget_s=budget_s))


@app.command()
def explain(file: File) -> None:
    """Print a schedule as the beginning of a scenario file, which a person finishes."""
    from highwater import replaying  # noqa: PLC0415

    typer.echo(replaying.explain(file), nl=False)
