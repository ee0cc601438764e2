"""While nothing moved, a leader's high watermark was not what the replicas had told it.

It must be the smallest log end offset that the leader knows of in the ISR: its own, and for every
follower the offset of the last fetch that reached it. It may be lower, though not below the offset
of that replica's last fetch, while a replica outside of the ISR is catching up
(Partition.maybeIncrementLeaderHW); and a leader whose ISR is smaller than min.insync.replicas does
not raise it at all (KAFKA-15583, 3.7). Then nobody can tell whether a lower one is right.

Only looks taken while every follower stood at the gate count, and only where a fetch of each in-
sync follower has been seen in the same term: a leader that is elected anew forgets what followers
told it before. A leader that is alone in the ISR is not asked. One that lies beyond the end of the
leader's own log is always wrong.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from highwater.checkers.claim import Claim
from highwater.checkers.findings import Findings
from highwater.checkers.parts import Samples
from highwater.checkers.samples import frame_findings
from highwater.checkers.terms import LOOK, bounds

if TYPE_CHECKING:
    import pandas as pd

LOWER = "lower than the ISR allows, with a replica outside of it, or an ISR below min.insync"


def judge(part: Samples) -> Findings:
    return _findings(part, bounds(part))


def _findings(part: Samples, asked: pd.DataFrame) -> Findings:
    least = asked["topic"].map(part.facts.promises.least_isr).astype("int64")
    high, expected = asked["high_watermark"], asked["expected"]
    floor = asked[["expected", "lowest"]].min(axis=1)
    excused = asked["unseen"].eq(other=True) | (asked["isr_size"] < least)
    wrong = ((high > expected) | (high < floor)).fillna(value=False).astype(bool)
    excused |= asked["lowest"].notna() & (high >= floor)
    doubtful = (high < expected).fillna(value=False).astype(bool) & excused
    found = frame_findings(asked[[*LOOK, "smallest_known"]], wrong & ~doubtful)
    found.doubt(LOWER, int(doubtful.sum()))
    return found


CLAIM = Claim(
    name="leader-high-watermark",
    title="a leader's high watermark is the smallest log end it knows of in the ISR",
    definition=__doc__,
    about="looks at leaders while every fetch stood at the gate",
    needs=("replica_states", "fetches"),
    part=Samples,
    judge=judge,
)
