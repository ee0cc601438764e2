"""What searches play on: three brokers with one voter, with three, that vote themselves, have
clocks of their own, or wait long for answers; and which log of theirs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from highwater.exploration.searched import SEARCHED, SETTINGS
from highwater.exploration.terrain import Terrain
from highwater.harness.errors import UsageError

PLAIN, VOTERS, COMBINED = "plain", "voters", "combined"
CLOCKS, PATIENT = "clocks", "patient"
SOON = (
    "request.timeout.ms"  # a request that is late is asked again, and what is held counts no more
)
TOPOLOGIES: Mapping[str, Mapping[str, Any]] = {
    PLAIN: {},
    VOTERS: {"voters": 3, "gated_metadata": True},
    COMBINED: {"voters": 3, "combined": True, "gated_metadata": True},
    CLOCKS: {"fake_clock": True},
    PATIENT: {
        "gated_metadata": True,
        "settings": {name: each for name, each in SETTINGS.items() if name != SOON},
    },
}
OF_GROUPS = frozenset({"groups", "members", "pipelines"})  # moves that are of no records
BESIDE = "neighbours"  # moves that are of two partitions
TAKEN_BY = {
    "quorum": VOTERS,
    "disks": PATIENT,
    "clocks": CLOCKS,
}  # moves that are none anywhere else


def terrain_of(moves: str, topology: str | None = None) -> Terrain:
    """Raises UsageError for a topology that nobody knows, or on which these moves are none."""
    setting = setting_of(topology_of(moves, topology))
    return Terrain(setting, of_groups=moves in OF_GROUPS, has_neighbour=moves == BESIDE)


def topology_of(moves: str, asked: str | None) -> str:
    """Raises UsageError for one that nobody knows, or on which these moves are none."""
    known = ", ".join(TOPOLOGIES)
    needed = TAKEN_BY.get(moves)
    topology = asked or needed or PLAIN
    if topology not in TOPOLOGIES:
        raise UsageError(f"expected a topology of {known}, saw {topology!r:.80}")
    if needed not in {None, topology}:
        raise UsageError(f"{moves} moves need the topology {needed}, saw {topology}")
    return topology


def setting_of(topology: str) -> Mapping[str, Any] | None:
    """As a schedule says it; None for what goes without saying."""
    more = TOPOLOGIES[topology]
    return {**SEARCHED, **more} if more else None


def is_searched(setting: Mapping[str, Any] | None) -> bool:
    """Whether searches play on such a cluster."""
    return setting in [setting_of(each) for each in TOPOLOGIES]
