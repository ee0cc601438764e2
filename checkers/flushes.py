"""When clients were told to flush, and when they said that they had."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from highwater.checkers.rows import LAST, Bools, Ints, Rows, groups, in_order


@dataclass(frozen=True, slots=True)
class Flushed:
    """Of one client, by when it was told: the earliest end of this flush and of all later ones,
    and whether one of them failed, or the clock was set back during it. Neither has an end here.
    """

    asked_ns: Ints
    ends_ns: Ints
    failed: Bools
    doubtful: Bools

    def after(self, invoked_ns: Ints) -> Ints:
        """For each of these moments which flush was the first one that was asked for later; as many
        as there are where none was.
        """
        return np.searchsorted(self.asked_ns, invoked_ns, side="right")


def flushes_of(told: Rows | None) -> Mapping[str, Flushed]:
    """By client; of what the table `flushes` says."""
    if told is None or not len(told):
        return {}
    rows = told.take(in_order(told["client"], told["asked_ns"]))
    names = rows.words["client"]
    return {
        str(names[rows["client"][mine[0]]]): _flushed(rows.take(mine))
        for mine in groups(rows["client"])
    }


def _flushed(rows: Rows) -> Flushed:
    failed = rows.known("error")
    backwards: Bools = ~failed & (rows["flushed_ns"] < rows["asked_ns"])
    ends = np.where(failed | backwards, LAST, rows["flushed_ns"])
    return Flushed(
        asked_ns=rows["asked_ns"],
        ends_ns=np.minimum.accumulate(ends[::-1])[::-1],
        failed=np.logical_or.accumulate(failed[::-1])[::-1],
        doubtful=np.logical_or.accumulate(backwards[::-1])[::-1],
    )
