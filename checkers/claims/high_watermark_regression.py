"""A leader's high watermark fell while one and the same leader epoch lasted.

What a leader has once called committed stays so for as long as it leads. A new leader may begin
with an older high watermark, which is the reason for KIP-207; so may one that leads again, in a
later epoch. One that restarts before anybody has elected another leads on in its epoch, with the
high watermark of its checkpoint file: that is an anomaly. A look counts when a later one shows the
same leader in the same epoch; looks at one moment prove no order.
"""

from __future__ import annotations

from highwater.checkers.claim import Claim
from highwater.checkers.findings import Findings
from highwater.checkers.parts import Samples
from highwater.checkers.samples import REPLICA, frame_findings

TERM = [*REPLICA, "leader_epoch"]


def judge(part: Samples) -> Findings:
    looks = part["replica_states"]
    leading = (looks["leader"] == looks["broker"]).fillna(value=False)
    looks = looks[leading & looks["high_watermark"].notna() & looks["leader_epoch"].notna()]
    looks = looks.sort_values([*REPLICA, "at_ns"], kind="stable")
    moments = looks.groupby([*TERM, "at_ns"])["high_watermark"].max()
    highest = moments.groupby(TERM).cummax().groupby(TERM).shift().rename("before")
    before = looks.join(highest, on=[*TERM, "at_ns"])["before"]
    is_last = looks["at_ns"] == looks.groupby(TERM)["at_ns"].transform("max")
    told = looks.assign(seen_before=before)[before.notna() & ~is_last]
    names = [*REPLICA, "at_ns", "leader_epoch", "high_watermark", "seen_before"]
    return frame_findings(told[names], told["high_watermark"] < told["seen_before"])


CLAIM = Claim(
    name="high-watermark-regression",
    title="a leader's high watermark never falls while it leads",
    definition=__doc__,
    about="looks at leaders after and before others in the same epoch",
    needs=("replica_states",),
    part=Samples,
    judge=judge,
)
