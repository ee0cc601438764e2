"""Two in-sync replicas hold different records at one offset that both call committed.

A replica is asked for every offset from its log start up to its own high watermark, in a settled
state or not. Records differ when their digests, values, checksums or (message format v2) leader
epochs do, when one is a control record and the other is not, or when one replica has none where
another has one. A replica whose log is damaged or not in the record is not asked what it lacks; nor
is one of which nobody told where its log starts for what lies before its first record; nor one of a
compacted topic, for replicas compact on their own. Nor is one of a topic with remote storage for
what lies before its first record: local logs are shortened by each replica for itself (KIP-405).
Copies of which neither digest, value nor checksum is known twice are undecided.
"""

from __future__ import annotations

import numpy as np

from highwater.checkers.claim import Claim
from highwater.checkers.copies import Copies
from highwater.checkers.findings import Findings
from highwater.checkers.parts import Offsets


def judge(part: Offsets) -> Findings:
    copies = Copies(part)
    differs = copies.differ("digest") | copies.differ("value") | copies.differ("checksum")
    differs |= copies.differ("leader_epoch", -1) | copies.differ("is_control")
    promises = part.facts.promises
    compacted = part.of_place(lambda place: promises.is_compacted(place[0])) == 1
    lacks = (copies.absent > 0) & ~compacted[copies.first_rows]
    wrong = differs | lacks
    asked = copies.distinct + np.where(lacks, copies.absent, 0) > 1
    found = Findings(considered=int(np.count_nonzero(asked)))
    blank = asked & ~wrong & ~copies.comparable
    found.doubt("copies that cannot be compared", np.count_nonzero(blank))
    rows = np.zeros(len(part["offset"]), bool)
    rows[copies.first_rows[asked & wrong]] = True
    shown = part.shown("topic", "partition", "offset")
    found.anomaly(rows, shown, lambda row: {"held": copies.described(row)})
    return found


CLAIM = Claim(
    name="replica-divergence",
    title="in-sync replicas hold the same records",
    definition=__doc__,
    about="committed offsets held by two in-sync replicas",
    needs=("replica_logs", "replica_ends"),
    part=Offsets,
    judge=judge,
)
