"""For how long a partition had no leader, or not all of its replicas in sync, by looks at it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from highwater.checkers.facts import Place
from highwater.checkers.rows import Bools, Ints, changes
from highwater.checkers.samples import PLACE

if TYPE_CHECKING:
    import pandas as pd

NOBODY = -1  # leads, by the metadata; null is that nobody could tell


class Spell(NamedTuple):
    """From the first look that saw something to the first one that saw it no more, if any did."""

    since_ns: int
    until_ns: int  # the last look where `is_over` is false
    is_over: bool


@dataclass(frozen=True, slots=True)
class Watched:
    """From the first to the last look that could tell, and when it was so that one asks for.

    Between two looks it is taken to be as the earlier of them saw it.
    """

    first_ns: int
    last_ns: int
    spells: Sequence[Spell]

    def is_known(self, since_ns: int, before_ns: int) -> bool:
        """Whether looks tell anything of this time."""
        return self.first_ns < before_ns and self.last_ns >= since_ns

    def within(self, since_ns: int, before_ns: int) -> list[Spell]:
        """Those of which some lies in this time."""
        return [
            each
            for each in self.spells
            if each.since_ns < before_ns
            and (each.until_ns > since_ns or (not each.is_over and each.until_ns >= since_ns))
        ]

    def joined(self, other: Watched) -> Watched:
        first_ns, last_ns = min(self.first_ns, other.first_ns), max(self.last_ns, other.last_ns)
        return Watched(first_ns, last_ns, sorted([*self.spells, *other.spells]))


@dataclass(frozen=True, slots=True)
class States:
    """Of one partition; None where no look could tell."""

    leaderless: Watched | None
    shrunk: Watched | None  # the ISR lacks a replica

    def joined(self, other: States) -> States:
        return States(
            _joined(self.leaderless, other.leaderless), _joined(self.shrunk, other.shrunk)
        )


def states_of(several: Iterable[pd.DataFrame]) -> dict[Place, States]:
    """From looks at replicas, apart for each time that a topic was created under its name."""
    found: dict[Place, States] = {}
    place: Any
    for looks in several:
        for place, mine in looks.groupby(PLACE):
            where, states = (str(place[0]), int(place[1])), _states(mine)
            found[where] = found[where].joined(states) if where in found else states
    return found


def _states(looks: pd.DataFrame) -> States:
    everybody = ",".join(str(broker) for broker in looks["broker"].unique())
    led, in_sync = looks[looks["leader"].notna()], looks[looks["isr"].notna()]
    # An older record does not say who was to have a replica: then it is who was looked at.
    both = list(zip(in_sync["replicas"].fillna(everybody), in_sync["isr"], strict=True))
    lacking = {pair: not _brokers(pair[0]) <= _brokers(pair[1]) for pair in set(both)}
    shrunk = np.array([lacking[pair] for pair in both], bool)
    return States(
        _watched(_times(led), (led["leader"] == NOBODY).to_numpy(bool)),
        _watched(_times(in_sync), shrunk),
    )


def _brokers(text: str) -> set[int]:
    return {int(each) for each in text.split(",") if each}


def _times(looks: pd.DataFrame) -> Ints:
    found: Ints = looks["at_ns"].to_numpy(np.int64)
    return found


def _watched(at_ns: Ints, is_so: Bools) -> Watched | None:
    if not len(at_ns):
        return None
    order = np.lexsort((is_so, at_ns))
    at_ns, is_so = at_ns[order], is_so[order]
    starts = np.flatnonzero(changes(is_so.astype(np.int64)))
    times, last_ns = at_ns[starts].tolist(), int(at_ns[-1])
    ends = [*((until_ns, True) for until_ns in times[1:]), (last_ns, False)]
    spells = [
        Spell(since_ns, until_ns, is_over)
        for since_ns, (until_ns, is_over), so in zip(times, ends, is_so[starts], strict=True)
        if so
    ]
    return Watched(times[0], last_ns, spells)


def _joined(one: Watched | None, other: Watched | None) -> Watched | None:
    return one.joined(other) if one and other else one or other
