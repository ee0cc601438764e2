"""What the plugin adds to pytest's command line, and to `pytest --markers`."""

from __future__ import annotations

from pathlib import Path

import pytest

DEFAULT_KAFKA = "4.1.1"
ALL_FLIPS = "all-flips"
OWNED = "--i-own-this-cluster"
HOOKS = {
    "kill": "how a broker is killed",
    "start": "how it is started again",
    "pause": "how a broker is frozen",
    "resume": "how it goes on",
}
OF_ATTACHED = ("--kafka-attach-config", *(f"--kafka-{each}" for each in HOOKS), OWNED)
MARKER = (
    'highwater(kafka=">=0.11", trials=1, replicas=3, voters=1, settings={}, topic={}, '
    "claims=(...), limits={}): "
    "which Kafkas a chaos test is for (a range of versions), how often it is played on each, and "
    "what its cluster and topic look like (1 or 3 voters: KRaft controllers or ZooKeeper servers, "
    "brokers with combined=True); claims are those that must hold (default: all); "
    'limits are what may take so long at most, such as {"longest_gap_ms": 10_000}; '
    "gated_clients, gated_metadata, fake_clock, obeys_file_modes and two_log_dirs are what some "
    "faults need; "
    "heap_mib is what each JVM may take where there are many partitions"
)


def add_options(parser: pytest.Parser) -> None:
    group = parser.getgroup("highwater", "chaos tests against real Kafkas")
    _add_kafkas(group)
    _add_records(group)
    group.addoption(
        "--highwater-reruns",
        type=_count,
        default=0,
        metavar="N",
        help="play a chaos test up to N times again where the environment failed (a broker that "
        "does not come up, a state that does not come in time); never for a violated claim",
    )
    group.addoption(
        "--highwater-clusters",
        type=_count,
        default=0,
        metavar="N",
        help="with pytest-xdist: how many clusters there are at once (default: as memory allows)",
    )


def _add_kafkas(group: pytest.OptionGroup) -> None:
    group.addoption(
        "--kafka",
        action="append",
        default=[],
        metavar="VERSION",
        help=f"a Kafka, such as 0.10.2.2 or 3.9.1-zk; repeatable (default: {DEFAULT_KAFKA}); "
        f"{ALL_FLIPS}: the releases on both sides of each flip of the ladder",
    )
    group.addoption(
        "--kafka-backend",
        choices=("process", "docker"),
        default="process",
        help="where brokers run (default: process)",
    )
    group.addoption(
        "--kafka-attach",
        metavar="HOST:PORT,...",
        help="a cluster to play on, of the one --kafka; compose:PROJECT: the one that docker "
        f"compose has started, with {OWNED}, which is given back as it was",
    )
    group.addoption(
        "--kafka-attach-config",
        type=Path,
        metavar="FILE",
        help="properties of a client there: security.protocol, sasl.*, ssl.* with PEM files",
    )
    for hook, what in HOOKS.items():
        group.addoption(
            f"--kafka-{hook}",
            metavar="COMMAND",
            help=f"{what} there; {{broker}}, {{host}} and {{port}} stand for it",
        )
    group.addoption(
        OWNED,
        action="store_true",
        help="brokers of the cluster that is attached may be taken down by these commands; of a "
        "project of docker compose: it may be stopped and broken meanwhile",
    )


def _add_records(group: pytest.OptionGroup) -> None:
    group.addoption(
        "--highwater-report",
        type=Path,
        metavar="DIR",
        help="keep the runs and write report.html, suite.json, junit.xml, summary.md, metrics.txt "
        "there: in a directory that is made, or holds no results yet",
    )
    group.addoption(
        "--highwater-keep",
        action="store_true",
        help="without a report: keep the records of tests that passed, too, below highwater-runs",
    )


def _count(text: str) -> int:
    if not text.isdecimal():
        raise ValueError(text)  # argparse says whose value it is
    return int(text)
