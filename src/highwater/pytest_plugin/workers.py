"""pytest-xdist: each worker has clusters of its own, and the controller writes one report.

Workers keep records where the controller's report is, say what became of their tests with the
reports that pytest-xdist carries over anyway, and share places for clusters, as many as the memory
of the machine is enough for. All of it is for workers on this machine.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from highwater.grounds import Grounds
from highwater.harness.leases import Lease
from highwater.pytest_plugin.choosing import asked_backend, too_many_workers
from highwater.room import CLUSTER_MIB, Room, available_mib, places_for
from highwater.workshop import results_of_now

REFUSED = "highwater"  # the node id of what a worker refuses to play


@dataclass(frozen=True, slots=True)
class Shared:
    """What the controller has for its workers."""

    lease: Lease
    places: int
    workers: int
    keeps_in: Path

    @property
    def told(self) -> str:
        return (
            f"highwater: {self.workers} workers, and {self.places} at once may have a cluster "
            f"({CLUSTER_MIB:,} MiB each); the others wait (--highwater-clusters N)"
        )


SHARED: pytest.StashKey[Shared] = pytest.StashKey()
GROUNDS: pytest.StashKey[Grounds] = pytest.StashKey()
NUMBERS: pytest.StashKey[Iterator[int]] = pytest.StashKey()


def given(config: pytest.Config) -> dict[str, Any] | None:
    """What the controller has told this worker; None where this process is none."""
    told: dict[str, Any] | None = getattr(config, "workerinput", None)
    return told


def has_workers(config: pytest.Config) -> bool:
    """Whether this process leaves all tests to others."""
    return given(config) is None and bool(getattr(config.option, "tx", None))


def share(config: pytest.Config, workers: int) -> None:
    """Prepare what workers share, before the first one starts; it goes with the session.

    Raises UsageError for workers that cannot have a cluster each.
    """
    mistake = too_many_workers(config, workers)
    if mistake:
        raise pytest.UsageError(mistake)
    lease = Lease("room-")
    lease.__enter__()
    config.add_cleanup(lambda: lease.__exit__(None, None, None))
    places = config.getoption("--highwater-clusters") or places_for(available_mib())
    keeps_in = results_of_now("pytest-").resolve()
    shared = config.stash[SHARED] = Shared(lease, places, workers, keeps_in)
    terminal: Any = config.pluginmanager.get_plugin("terminalreporter")
    if places < workers and terminal is not None:
        terminal.write_line(shared.told)


def inform(config: pytest.Config, workerinput: dict[str, Any]) -> None:
    """Tell a worker what it shares with the others; plain words and numbers only."""
    shared = config.stash[SHARED]
    workerinput["highwater_room"] = str(shared.lease.directory)
    workerinput["highwater_places"] = shared.places
    workerinput["highwater_workers"] = shared.workers
    workerinput["highwater_keeps_in"] = str(shared.keeps_in)


def has_little_room(config: pytest.Config) -> bool:
    """Whether a cluster has to make room for others as soon as its test is over."""
    told = given(config)
    return told is not None and told["highwater_places"] < told["highwater_workers"]


def grounds_of(config: pytest.Config) -> Grounds:
    """Where the tests of this process are played, and where their records go."""
    out: Path | None = config.getoption("--highwater-report")
    told = given(config)
    keeps_in = Path(told["highwater_keeps_in"]) if told else results_of_now("pytest-").resolve()
    if out is None and config.getoption("--highwater-keep"):
        out = keeps_in
    config.stash[GROUNDS] = Grounds(
        backend=asked_backend(config),
        out=out and out.resolve(),
        keeps_in=keeps_in,
        worker=told["workerid"] if told else "",
        room=Room(Path(told["highwater_room"]), told["highwater_places"]) if told else None,
        numbers=config.stash.setdefault(NUMBERS, itertools.count(1)),
    )
    return config.stash[GROUNDS]


def kept_in(config: pytest.Config) -> Path | None:
    """Where the records of tests that passed are, if that was asked for and there is no report."""
    if not config.getoption("--highwater-keep") or config.getoption("--highwater-report"):
        return None
    if SHARED in config.stash:
        return config.stash[SHARED].keeps_in
    return config.stash[GROUNDS].keeps_in if GROUNDS in config.stash else None


def refuse(session: pytest.Session, items: list[pytest.Item], mistakes: Sequence[str]) -> None:
    """Say what is wrong: a worker to its controller, and then it has nothing to play."""
    text = "\n".join(mistakes)
    if given(session.config) is None:
        raise pytest.UsageError(text)
    report = pytest.CollectReport(REFUSED, "failed", text, [])
    session.config.hook.pytest_collectreport(report=report)
    items.clear()
