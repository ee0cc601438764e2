"""Sends that stand below what their client had been given before, and which came first of both."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from highwater.checkers.facts import Place
from highwater.checkers.parts import Offsets
from highwater.checkers.rows import NONE, Bools, Ints
from highwater.checkers.standings import Standings, given

NO_ORDER = "in another order than sent, by who does not promise it"

LOST = "acknowledged after one above it, which may have been lost, and its place given away again"
TIMELESS = "above it stands one that was sent before, and nobody told when both were acknowledged"
UNTOLD = "sent before another one, nobody told whether its client's library keeps the order"


@dataclass(frozen=True, slots=True)
class Overtaking:
    """Of a part: which sends have overtaken others, of whom it is told, and of which nobody can
    tell why.
    """

    standings: Standings
    charged: Bools
    told: Bools
    doubts: dict[str, Bools]


def overtaking(part: Offsets) -> Overtaking:
    standings = Standings(part, given(part))
    low = standings.too_low
    promised = part.of_clients(lambda client: client.keeps_order is True)
    untold = low & part.of_clients(lambda client: client.keeps_order is None)
    asked, done = low & promised, part["completed_ns"]
    own = np.where(done >= part["invoked_ns"], done, NONE)
    first = _of_first(part, asked, standings.first, own)
    timed = (own != NONE) & (first != NONE)
    doubts = {UNTOLD: untold, TIMELESS: asked & ~timed, LOST: asked & timed & (own >= first)}
    charged = asked & timed & (own < first)
    return Overtaking(standings, charged, low & ~promised & ~untold, doubts)


def _of_first(part: Offsets, asked: Bools, ops: Ints, own: Ints) -> Ints:
    """When the sends with these operations were acknowledged; some were only surveyed."""
    found = np.full(len(asked), NONE)
    if asked.any():
        known = dict(_told(part, np.isin(part["op"], ops[asked]), own))
        for row in np.flatnonzero(asked):
            found[row] = known.get((*_client_at(part, row), int(ops[row])), NONE)
    return found


def _told(part: Offsets, wanted: Bools, own: Ints) -> Iterator[tuple[tuple[Place, str, int], int]]:
    for row in np.flatnonzero(part.acknowledged & wanted):
        yield (*_client_at(part, row), int(part["op"][row])), int(own[row])
    for (place, client, _), one in part.facts.given.items():
        yield (place, client, one.ended), one.completed_ns


def _client_at(part: Offsets, row: np.intp) -> tuple[Place, str]:
    return part.place(row), str(part.text("client", row))
