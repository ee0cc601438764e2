"""A replica that leads or is in sync has a log that ends below a high watermark seen before.

The watermark was reported by the leader of that moment before the replica's previous look, so
looks that are not atomic cannot feign it. A leader whose log ends below it counts at once; a
follower only in two successive looks that show it in the ISR, for metadata may lag behind. Looks
of one moment at a replica prove no order: they are one look, which shows what each of them shows.
The end of a run counts where it is settled (`at_ns` is null then): otherwise looks may be later
than it. A look without leader or ISR is no evidence, and a follower out of the ISR may be behind.
One anomaly per replica: its first.
"""

from __future__ import annotations

from highwater.checkers.claim import Claim
from highwater.checkers.findings import Findings
from highwater.checkers.parts import Samples
from highwater.checkers.rows import LAST
from highwater.checkers.samples import REPLICA, frame_findings, looks_of_one_moment


def judge(part: Samples) -> Findings:
    looks = looks_of_one_moment(part)
    replica = [looks[name] for name in REPLICA]
    again = looks["short"].groupby(replica).shift(fill_value=False)
    truncated = looks["short"] & (looks["leads"] | looks["settled"] | again)
    first = truncated & (truncated.astype("int64").groupby(replica).cumsum() == 1)
    told = looks.assign(
        role=looks["leads"].map({True: "leader", False: "in the ISR"}),
        at_ns=looks["at_ns"].mask(looks["at_ns"] == LAST),
    )
    names = ["log_end_offset", "role", "at_ns", "high_watermark", "seen_by", "seen_at_ns"]
    asked = looks["asked"]
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
