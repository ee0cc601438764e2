"""What searches play on: three brokers with one voter, with three, or that vote themselves; and
which log of theirs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from highwater.exploration.rounds import SEARCHED
from highwater.harness.errors import UsageError

PLAIN, VOTERS, COMBINED = "plain", "voters", "combined"
TOPOLOGIES: Mapping[str, Mapping[str, Any]] = {
    PLAIN: {},
    VOTERS: {"voters": 3, "gated_metadata": True},
    COMBINED: {"voters": 3, "combined": True, "gated_metadata": True},
}
OF_GROUPS = frozenset({"groups", "pipelines"})  # moves that are of no records
TAKEN_BY = {"quorum": VOTERS}  # moves that are none anywhere else


@dataclass(frozen=True, slots=True)
class Terrain:
    """What each schedule of a search is played on.

    The setting is as a schedule says it; `of_groups`: the log of what groups commit is looked at
    and moved, in the place of one of records.
    """

    setting: Mapping[str, Any] | None = None
    of_groups: bool = False


def terrain_of(moves: str, topology: str | None = None) -> Terrain:
    """Raises UsageError for a topology that nobody knows, or on which these moves are none."""
    return Terrain(setting_of(topology_of(moves, topology)), moves in OF_GROUPS)


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
