"""A replica in sync lacks what its leader's log had two minutes before, in the same leader epoch.

A leader drops a replica from the ISR that has not caught up for replica.lag.time.max.ms, and looks
twice in that time: after 45 s at the latest by default (30 s; 10 s before Kafka 2.5), after 90 s in
our own clusters. Brokers that are set to wait for longer are given one and a half times as long,
and 30 s. To join it anew a replica needs the high watermark and the start of the epoch, and not the
leader's log end (Partition.isFollowerInSync): with too few in sync that is far less. So only a
replica is asked that was in the ISR when the leader's log was seen, and at all looks since. Where
fewer than min.insync.replicas are in sync without it, it may have left and joined between two looks
(KAFKA-15583): nobody can tell. One that joins too early is committed-truncation's.
"""

from __future__ import annotations

from highwater.checkers.claim import Claim
from highwater.checkers.findings import Findings
from highwater.checkers.parts import Samples
from highwater.checkers.samples import (
    REPLICA,
    frame_findings,
    in_sync,
    last_before,
    outside_ns,
)

LATE_MS, TO_DECIDE_MS = 120_000, 30_000


def judge(part: Samples) -> Findings:
    late_ns = max(LATE_MS, part.facts.promises.brokers.lag_ms * 3 // 2 + TO_DECIDE_MS) * 10**6
    looks = part["replica_states"]
    looks = looks[looks["log_end_offset"].notna() & looks["leader_epoch"].notna()]
    leads = (looks["leader"] == looks["broker"]).fillna(value=False)
    later = looks[leads & looks["isr"].notna()]
    later = later.assign(seen_ns=later["at_ns"], at_ns=later["at_ns"] + late_ns)
    followers = looks[~leads & looks["leader"].notna() & in_sync(looks)]
    taken = {"log_end_offset": "leader_had", "seen_ns": "leader_seen_ns"}
    found = last_before(followers, later, ["leader", "leader_epoch"], taken)
    names = [*REPLICA, "at_ns", "log_end_offset", "leader_had", "leader", "leader_epoch"]
    found = found[found["leader_had"].notna()]
    found = found[outside_ns(part["replica_states"], found) < found["leader_seen_ns"]]
    lags = found["log_end_offset"] < found["leader_had"]
    least = found["topic"].map(part.facts.promises.least_isr).astype("int64")
    few = found["isr"].str.count(",") < least
    said = frame_findings(found[names], lags & ~few)
    said.doubt("may have joined the ISR anew between two looks", int((lags & few).sum()))
    return said


CLAIM = Claim(
    name="lagging-in-sync",
    title="a replica in sync has what its leader had two minutes before",
    definition=__doc__,
    about="looks at followers in sync for more than two minutes after one at their leader",
    needs=("replica_states",),
    part=Samples,
    judge=judge,
)
