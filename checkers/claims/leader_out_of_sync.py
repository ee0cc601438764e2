"""A partition's leader is not in its ISR.

Metadata name both at once, and whoever leads is in sync with itself, however it was elected. TLA+
models of Kafka call it LeaderInIsr. A look that knows of no leader (null, or -1: nobody leads), or
of no ISR, is no evidence.
"""

from __future__ import annotations

from highwater.checkers.claim import Claim
from highwater.checkers.findings import Findings
from highwater.checkers.parts import Samples
from highwater.checkers.samples import REPLICA, frame_findings, in_sync

TOLD = ["at_ns", "leader", "leader_epoch", "isr"]


def judge(part: Samples) -> Findings:
    looks = part["replica_states"]
    told = looks[(looks["leader"] >= 0).fillna(value=False) & looks["isr"].notna()]
    leaders = told.assign(broker=told["leader"])
    return frame_findings(told[[*REPLICA, *TOLD]], ~in_sync(leaders))


CLAIM = Claim(
    name="leader-out-of-sync",
    title="a leader is in its own ISR",
    definition=__doc__,
    about="looks that know a leader and an ISR",
    needs=("replica_states",),
    part=Samples,
    judge=judge,
)
