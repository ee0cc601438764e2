"""The options that several commands share, and what they mean together."""

from __future__ import annotations

import os
import re
from enum import StrEnum
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from highwater.backends import Backend
from highwater.borrowing import project_in
from highwater.harness.errors import UsageError

Told = TypeVar("Told")


def reached(told: Told) -> Told:
    """What the user named, as it is; raises UsageError for a path that nobody can look at.

    One that is not there is no such path: whoever wants it says so. Addresses are others' to reach.
    """
    for path in told if isinstance(told, list) else [told]:
        if isinstance(path, Path) or (isinstance(path, str) and "://" not in path):
            try:
                Path(path).exists()
            except OSError as error:  # no leave to look there, or a name that cannot be
                raise UsageError(f"{path} cannot be looked at: {error.strerror}") from error
    return told


Versions = Annotated[
    list[str] | None,
    typer.Option("--kafka", "-k", help="A Kafka of the catalogue, such as 0.10.2.2 or 3.9.1-zk."),
]
Directory = Annotated[
    Path | None,
    typer.Option("--kafka-dir", callback=reached, help="An unpacked Kafka of your own instead."),
]
Controls = Annotated[
    list[str] | None,
    typer.Option("--control", help="The same binary with one setting changed: ibp=0.11.0-IV1."),
]
Scenarios = Annotated[
    list[str] | None, typer.Option("--scenario", "-s", help="Repeatable. Default: all.")
]
Trials = Annotated[int, typer.Option("--trials", "-n", min=1, max=1000, help="Plays per cell.")]
Reruns = Annotated[
    int, typer.Option(min=0, max=1000, help="More plays per cell if some prove nothing.")
]


def _use_spark_master(wanted: str | None) -> None:
    """Let Spark run there, by the variable that its session reads.

    Raises UsageError for what is no master of Spark's.
    """
    if wanted is not None:
        if not re.match(r"(local|local\[.+\]|local-cluster\[.+\]|yarn|(spark|k8s)://.+)$", wanted):
            raise UsageError(
                f"--spark-master {wanted!r} is none of local[N], local-cluster[N,CORES,MIB], "
                "spark://HOST:PORT, yarn, k8s://..."
            )
        os.environ["HIGHWATER_SPARK_MASTER"] = wanted


class Where(StrEnum):
    """Where brokers run."""

    PROCESS = "process"
    DOCKER = "docker"


class Mode(StrEnum):
    """Where Kafka keeps its metadata."""

    ZK = "zk"
    KRAFT = "kraft"


WhichMode = Annotated[
    Mode | None, typer.Option("--mode", help="Only releases with it. Default: each in its first.")
]
FirstPort = Annotated[
    int | None, typer.Option(min=1024, max=65_000, help="Of the first broker; others follow.")
]
Voters = Annotated[
    int, typer.Option(help="KRaft controllers, or ZooKeeper servers, of their own: 1 or 3.")
]
Backends = Annotated[Where, typer.Option("--backend", help="Where brokers run.")]
Image = Annotated[
    str | None,
    typer.Option("--image", help="With docker: a published Kafka image instead of our own."),
]
Out = Annotated[
    Path | None, typer.Option("--out", "-o", help="Directory for runs and report; must be new.")
]
Offline = Annotated[bool, typer.Option("--offline", help="Use only what is cached.")]
Resume = Annotated[
    bool, typer.Option("--resume", help="Go on in a used --out: what it holds is not played again.")
]
Shard = Annotated[
    str, typer.Option("--shard", help="Play one part of several, such as 1/2, into one --out.")
]
Images = Annotated[bool, typer.Option("--images", help="Build their container images as well.")]
Claims = Annotated[
    list[str] | None, typer.Option("--claim", "-c", help="Repeatable. Default: all.")
]
CrossCheck = Annotated[
    bool, typer.Option("--cross-check", help="Ask for a second opinion: loops, no Spark. Slow.")
]
SparkMaster = Annotated[
    str | None,
    typer.Option(
        "--spark-master",
        callback=_use_spark_master,
        help="Where Spark judges: local[*], spark://host:7077.",
    ),
]
Places = Annotated[
    list[str],
    typer.Argument(
        metavar="PLACE",
        callback=reached,
        help="Runs, or directories of runs: here, or where Hadoop finds them (hdfs://host/runs).",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]
Attach = Annotated[
    str | None,
    typer.Option(help="compose:PROJECT, the cluster that docker compose has started."),
]
Owned = Annotated[
    bool,
    typer.Option(
        "--i-own-this-cluster",
        help="With --attach, which needs it: that cluster may be stopped and broken meanwhile.",
    ),
]


def chosen_backend(where: Where, image: str | None) -> Backend:
    """Raises UsageError for an image without containers."""
    if image is not None and where is not Where.DOCKER:
        raise UsageError("--image needs --backend docker: processes are not started from images")
    return Backend(where.value, image)


def compose_project(attach: str) -> str:
    """The PROJECT of compose:PROJECT; raises UsageError for anything else."""
    project = project_in(attach)
    if not project:
        raise UsageError(
            f"--attach {attach!r} names no cluster; expected compose:PROJECT (scenarios need nodes "
            "and links; tests can do with bootstrap servers: pytest --kafka-attach)"
        )
    return project
