"""A group committed a position, and later one that lies below it.

Both commits were confirmed, for one group and one partition, and order is real time as their
members saw it: one was confirmed strictly before the other was asked for. Whoever takes over begins
where its group committed last, so that what lies between is processed again. Coordinators refuse
commits of members that a group has gone on without (ILLEGAL_GENERATION). What failed is not asked,
nor what nobody knows the end of; members that seek, whose position is gone from the log, or whose
topic is another one by now, are for the scenario to tolerate.
"""

from __future__ import annotations

from highwater.checkers.claim import Claim
from highwater.checkers.findings import Findings
from highwater.checkers.parts import Samples
from highwater.checkers.samples import PLACE, frame_findings, highest_before

GROUP = ["group", *PLACE]
UNSURE = "nobody told when it was confirmed, or a clock ran backwards"


def judge(part: Samples) -> Findings:
    commits = part["commits"]
    told = commits[(commits["outcome"] == "ok") & (commits["offset"] >= 0)]
    is_timed = told["completed_ns"].notna() & (told["completed_ns"] >= told["invoked_ns"])
    sound = told[is_timed.fillna(value=False)]
    before = highest_before(sound, GROUP)
    found = frame_findings(before, before["after_offset"] > before["offset"])
    found.considered = len(told)
    found.doubt(UNSURE, len(told) - len(sound))
    return found


CLAIM = Claim(
    name="commit-regression",
    title="what a group has committed does not go back",
    definition=__doc__,
    about="commits that were confirmed",
    needs=("commits",),
    part=Samples,
    judge=judge,
)
