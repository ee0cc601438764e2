"""Since when a leader is known to have been leading without a break, from looks and fetches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from highwater.checkers.rows import NONE, Bools, Ints
from highwater.checkers.samples import PLACE

if TYPE_CHECKING:
    import pandas as pd

UNTOLD = -2  # the epoch of a fetch


@dataclass(frozen=True, slots=True)
class Sights:
    """What was seen of who leads one partition, in the order of time.

    A look tells a leader and its epoch, a fetch only whom a follower takes for the leader. `silent`
    is a look at a leader that did not answer: it may have been started again.
    """

    at_ns: Ints
    leader: Ints
    epoch: Ints
    silent: Bools

    def since_ns(self, at_ns: int, leader: int, epoch: int) -> int:
        """After what moment a fetch to this leader was one of the term that a look saw it in.

        That is the last sight of another term; where it is known to have led before that, the first
        look in this term. NONE where there was no other.
        """
        before = self.at_ns < at_ns
        is_look = self.epoch != UNTOLD
        mine = (self.leader == leader) & ~self.silent
        others = before & (~mine | (is_look & (self.epoch != epoch)))
        if not others.any():
            return NONE
        last = int(self.at_ns[others].max())
        led_before = (self.leader == leader) & (self.at_ns <= last)
        if not led_before.any():
            return last
        own = mine & is_look & (self.epoch == epoch) & (self.at_ns > last) & before
        return int(self.at_ns[own].min()) if own.any() else at_ns


def term_starts(looks: pd.DataFrame, asked: pd.DataFrame, fetches: pd.DataFrame) -> Ints:
    """`Sights.since_ns` for each of the looks at leaders that are asked, in their order."""
    found = np.full(len(asked), NONE)
    sights = dict(_sights(looks, fetches))
    columns = (asked[name].tolist() for name in [*PLACE, "at_ns", "leader"])
    epochs = asked["leader_epoch"].fillna(-1).tolist()
    for row, (topic, partition, at_ns, leader) in enumerate(zip(*columns, strict=True)):
        found[row] = sights[topic, partition].since_ns(at_ns, leader, epochs[row])
    return found


def _sights(looks: pd.DataFrame, fetches: pd.DataFrame) -> Iterator[tuple[Any, Sights]]:
    import pandas as pd  # noqa: PLC0415 - see samples

    names = [*PLACE, "at_ns", "leader"]
    told = looks[looks["leader"].notna()]
    silent = (told["leader"] == told["broker"]) & told["log_end_offset"].isna()
    epochs = told["leader_epoch"].fillna(-1)
    seen = told[names].assign(epoch=epochs, silent=silent.fillna(value=False))
    asking = fetches[fetches["stage"] == "request"][names].assign(epoch=UNTOLD, silent=False)
    every = pd.concat([seen, asking]).sort_values("at_ns", kind="stable")
    for place, group in every.groupby(PLACE):
        at_ns, leader, epoch = (
            group[name].to_numpy(np.int64) for name in ("at_ns", "leader", "epoch")
        )
        yield place, Sights(at_ns, leader, epoch, group["silent"].to_numpy(bool))
