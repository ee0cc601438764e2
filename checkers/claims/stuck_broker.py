"""For five seconds and more a broker was alive and registered, and answered nothing.

To the rest of the cluster such a broker is there, so nobody takes its place, and no supervisor
restarts it, as its process has not ended. A broker that is starting is not yet registered; one that
is frozen or cut off by a fault is for the scenario to tolerate. One anomaly for each such time;
looks more than ten seconds apart are of different times.
"""

from __future__ import annotations

from highwater.checkers.claim import Claim
from highwater.checkers.findings import Findings
from highwater.checkers.parts import Samples
from highwater.checkers.samples import frame_findings

STUCK_NS = 5e9
APART_NS = 10e9  # looks that are further apart say nothing of the time between them


def judge(part: Samples) -> Findings:
    looks = part["liveness"]
    looks = looks.assign(silent=looks["running"] & looks["registered"] & ~looks["answers"])
    looks = looks.groupby(["broker", "at_ns"])[["silent"]].min().reset_index()  # no order in one
    silent = looks["silent"]
    other = (looks["broker"] != looks["broker"].shift()) | (silent != silent.shift())
    other |= looks["at_ns"] - looks["at_ns"].shift() > APART_NS
    times = looks.assign(island=other.fillna(value=True).cumsum()).groupby("island")
    found = times.agg(
        broker=("broker", "first"),
        since_ns=("at_ns", "min"),
        until_ns=("at_ns", "max"),
        looks=("at_ns", "size"),
        silent=("silent", "first"),
    )
    wrong = found["silent"] & (found["until_ns"] - found["since_ns"] >= STUCK_NS)
    return frame_findings(found.drop(columns="silent"), wrong)


CLAIM = Claim(
    name="stuck-broker",
    title="a broker that lives and is registered answers",
    definition=__doc__,
    about="times in which a broker was watched",
    needs=("liveness",),
    part=Samples,
    judge=judge,
)
