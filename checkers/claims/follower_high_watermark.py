"""While nothing moved, a follower's high watermark was not what it has and was told.

It must be the smaller one of its own log end offset and the high watermark in the last answer that
it was given, by whatever leader; one that carries an error tells none. Only looks taken while every
follower stood at the gate count: between two fetches there is nothing to race with. A replica that
has led since that answer, that has not answered a look and may have been started again, or that was
not seen in its leader epoch before that answer is not asked.
"""

from __future__ import annotations

from highwater.checkers.claim import Claim
from highwater.checkers.findings import Findings
from highwater.checkers.parts import Samples
from highwater.checkers.samples import frame_findings, last_before, quiet_looks
from highwater.checkers.terms import apart_from, forgotten_ns


def judge(part: Samples) -> Findings:
    looks = quiet_looks(part)
    looks = looks[looks["leader"].notna() & (looks["leader"] != looks["broker"])]
    looks = apart_from(looks, part["fetches"])
    answers = part["fetches"]
    answers = answers[(answers["stage"] == "response") & answers["high_watermark"].notna()]
    answers = answers.rename(columns={"follower": "broker"}).assign(told_ns=answers["at_ns"])
    taken = {"high_watermark": "told", "told_ns": "told_ns"}
    found = last_before(looks, answers, ["broker"], taken)
    found = found[found["told_ns"] > forgotten_ns(part, found)]
    found = found[found["told"].notna()]
    expected = found[["log_end_offset", "told"]].min(axis=1)
    names = ["topic", "partition", "broker", "at_ns", "log_end_offset", "high_watermark", "told"]
    return frame_findings(found[names], found["high_watermark"] != expected)


CLAIM = Claim(
    name="follower-high-watermark",
    title="a follower's high watermark is min(own log end, what the leader told it)",
    definition=__doc__,
    about="looks at followers while every fetch stood at the gate",
    needs=("replica_states", "fetches"),
    part=Samples,
    judge=judge,
)
