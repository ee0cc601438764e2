"""A replica that leads or is in sync has a log that ends below a high watermark seen before.

The watermark was reported by the leader of that moment before the replica's previous look, so
looks that are not atomic cannot feign it. A leader whose log ends below it counts at once; a
follower only in two successive looks that show it in the ISR, for metadata may lag behind, or in a
settled state at the end (`at_ns` is null then). A look without leader or ISR is no evidence, and a
follower out of the ISR may be behind. One anomaly per replica: its first.
"""

from __future__ import annotations

import pandas as pd

from highwater.checkers.claim import Claim
from highwater.checkers.findings import Findings
from highwater.checkers.parts import Samples
from highwater.checkers.rows import LAST
from highwater.checkers.samples import PLACE, REPLICA, frame_findings, looks_and_ends, watermarks


def judge(part: Samples) -> Findings:
    looks = looks_and_ends(part)
    informed = pd.merge_asof(
        looks[looks["known_until_ns"].notna()].sort_values("known_until_ns", kind="stable"),
        watermarks(part).sort_values("seen_at_ns", kind="stable"),
        left_on="known_until_ns",
        right_on="seen_at_ns",
        by=PLACE,
    ).sort_values([*REPLICA, "at_ns"], kind="stable")
    bound = (informed["leads"] | informed["in_isr"]) & informed["high_watermark"].notna()
    short = bound & (informed["log_end_offset"] < informed["high_watermark"]).fillna(value=False)
    replica = [informed[name] for name in REPLICA]
    again = short.groupby(replica).shift(fill_value=False)
    truncated = short & (informed["leads"] | informed["settled"] | again)
    first = truncated & (truncated.astype("int64").groupby(replica).cumsum() == 1)
    told = informed.assign(
        role=informed["leads"].map({True: "leader", False: "in the ISR"}),
        at_ns=informed["at_ns"].mask(informed["at_ns"] == LAST),
    )
    names = ["log_end_offset", "role", "at_ns", "high_watermark", "seen_by", "seen_at_ns"]
    asked = bound & informed["log_end_offset"].notna()
    return frame_findings(told.loc[asked, [*REPLICA, *names]], first[asked])


CLAIM = Claim(
    name="committed-truncation",
    title="no replica in sync falls below what was committed",
    definition=__doc__,
    about="looks at in-sync replicas after a high watermark was seen",
    needs=("replica_states",),
    uses=("replica_ends",),
    part=Samples,
    judge=judge,
)
