"""Since when a leader is known to have been leading without a break, from looks and fetches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from highwater.checkers.parts import Samples
from highwater.checkers.rows import NONE, Bools, Ints
from highwater.checkers.samples import PLACE, REPLICA, fetch_offsets_at_leaders, last_before

if TYPE_CHECKING:
    import pandas as pd

LOOK = [*REPLICA, "at_ns", "log_end_offset", "high_watermark"]
FIRST = NONE + 1  # before anything that a record can tell of
UNTOLD = -2  # the epoch of a fetch
FIRST_EPOCH = 0  # of a partition; lower where nobody tells


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

        That is the first look in this term since the last sight of another one; NONE in the first
        term of a partition. Where nobody tells epochs, it is the last sight of another leader, or
        NONE where there was no other.
        """
        if epoch == FIRST_EPOCH:
            return NONE
        before = self.at_ns < at_ns
        is_look = self.epoch != UNTOLD
        mine = (self.leader == leader) & ~self.silent
        others = before & (~mine | (is_look & (self.epoch != epoch)))
        last = int(self.at_ns[others].max()) if others.any() else NONE
        led_before = (self.leader == leader) & (self.at_ns <= last)
        if epoch < FIRST_EPOCH and not led_before.any():
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


def bounds(part: Samples) -> pd.DataFrame:
    """Looks at leaders while nothing moved, and what their high watermark may be.

    `smallest_known` is the least that the ISR told the leader in its term, `expected` that or its
    own log end; `lowest` is the least that replicas outside of the ISR told it, and `unseen` says
    whether one of these was not seen to fetch. `isr_size` counts the leader.
    """
    looks = part["replica_states"]
    leading = (looks["leader"] == looks["broker"]).fillna(value=False)
    leading &= looks["quiet"].fillna(value=False) & looks["isr"].fillna("").ne("")
    leading &= looks["log_end_offset"].notna() & looks["high_watermark"].notna()
    brokers = looks[[*PLACE, "broker"]].drop_duplicates().rename(columns={"broker": "member"})
    asked = apart_from(looks[leading], part["fetches"])
    since = term_starts(looks, asked, part["fetches"])
    told = fetch_offsets_at_leaders(asked.assign(since_ns=since), brokers, part["fetches"])
    told = told.assign(unseen=told["fetch_offset"].isna())
    inside = told[told["in_isr"]].groupby(LOOK, sort=False)["fetch_offset"]
    asked = (
        asked[LOOK]
        .drop_duplicates()
        .merge(inside.agg(["min", "count", "size"]).reset_index(), how="left", on=LOOK)
    )
    known = (asked["count"] == asked["size"]).fillna(value=False)
    asked = asked[known | (asked["high_watermark"] > asked["log_end_offset"])]
    asked = asked.assign(
        smallest_known=asked["min"].where(asked["count"] == asked["size"]),
        expected=asked[["log_end_offset", "min"]].min(axis=1),
        isr_size=asked["size"].fillna(0) + 1,
    )
    beyond = (
        told[~told["in_isr"]]
        .groupby(LOOK, sort=False)
        .agg(lowest=("fetch_offset", "min"), unseen=("unseen", "max"))
    )
    return asked.merge(beyond, how="left", on=LOOK)


def apart_from(looks: pd.DataFrame, fetches: pd.DataFrame) -> pd.DataFrame:
    """Looks without those at a moment at which a fetch of their partition passed."""
    passing = fetches[[*PLACE, "at_ns"]].drop_duplicates().assign(is_passing=True)
    at_once = looks.merge(passing, how="left", on=[*PLACE, "at_ns"])["is_passing"].notna()
    return looks[~at_once.to_numpy(bool)]


def forgotten_ns(part: Samples, asked: pd.DataFrame) -> pd.Series[int]:
    """For each of these looks when its replica last led, did not answer, or was in another epoch.

    One that others fetch from leads. FIRST for never.
    """
    import pandas as pd  # noqa: PLC0415 - see samples

    looks, fetches = part["replica_states"], part["fetches"]
    led = (looks["leader"] == looks["broker"]).fillna(value=False)
    names = [*REPLICA, "at_ns"]
    fetched = fetches.assign(broker=fetches["leader"])[names]
    breaks = pd.concat([looks[led | looks["log_end_offset"].isna()][names], fetched])
    breaks = breaks.assign(broken_ns=breaks["at_ns"])
    before = last_before(asked[[*REPLICA, "at_ns"]], breaks, ["broker"], {"broken_ns": "broken_ns"})
    broken = before["broken_ns"].fillna(FIRST).astype("int64").set_axis(asked.index)
    return broken.where(broken > (others := _other_epochs(looks, asked)), others)


def _other_epochs(looks: pd.DataFrame, asked: pd.DataFrame) -> pd.Series[int]:
    """For each of these looks since when its partition was seen in its leader epoch.

    FIRST in the first epoch of a partition, and where nobody tells epochs.
    """
    import pandas as pd  # noqa: PLC0415 - see samples

    epochs, of_place = looks["leader_epoch"].fillna(-1), looks.groupby(PLACE).indices
    at_ns, epoch = looks["at_ns"].to_numpy(np.int64), epochs.to_numpy(np.int64)
    found = pd.Series(FIRST, asked.index, dtype="int64")
    mine = asked["leader_epoch"].fillna(-1).astype("int64")
    for place, rows in asked.groupby(PLACE).indices.items():
        seen = of_place[place]
        for row in rows:
            label = asked.index[row]
            until, own = asked["at_ns"].iloc[row], epoch[seen] == mine.iloc[row]
            others = at_ns[seen][~own & (at_ns[seen] < until)]
            if len(others) or mine.iloc[row] > FIRST_EPOCH:
                last = others.max(initial=FIRST)
                ours = at_ns[seen][own & (at_ns[seen] > last) & (at_ns[seen] <= until)]
                found[label] = ours.min(initial=until)
    return found
