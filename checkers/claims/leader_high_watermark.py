"""While nothing moved, a leader's high watermark was not what the in-sync set had told it.

It must be the smallest log end offset that the leader knows of in the ISR: its own, and for every
follower the offset of the last fetch that reached it. Only looks taken while every follower stood
at the gate count, and only where a fetch of each in-sync follower has been seen.
"""

from __future__ import annotations

from highwater.checkers.claim import Claim
from highwater.checkers.findings import Findings
from highwater.checkers.parts import Samples
from highwater.checkers.samples import REPLICA, frame_findings, last_before, quiet_looks


def judge(part: Samples) -> Findings:
    looks = quiet_looks(part)
    looks = looks[(looks["leader"] == looks["broker"]) & looks["isr"].notna()]
    looks = looks.assign(member=looks["isr"].str.split(",")).explode("member")
    looks = looks[looks["member"] != looks["broker"].astype("string")]
    requests = part["fetches"][part["fetches"]["stage"] == "request"]
    requests = requests.assign(broker=requests["leader"], member=requests["follower"].astype(str))
    members = last_before(looks, requests, ["broker", "member"], {"fetch_offset": "known"})
    names = [*REPLICA, "at_ns", "log_end_offset", "high_watermark"]
    known = members.groupby(names, sort=False)["known"].agg(["min", "count", "size"]).reset_index()
    known = known[known["count"] == known["size"]]
    told = known.assign(smallest_known=known["min"])[[*names, "smallest_known"]]
    expected = told[["log_end_offset", "smallest_known"]].min(axis=1)
    return frame_findings(told, told["high_watermark"] != expected)


CLAIM = Claim(
    name="leader-high-watermark",
    title="a leader's high watermark is the smallest log end it knows of in the ISR",
    definition=__doc__,
    about="looks at leaders while every fetch stood at the gate",
    needs=("replica_states", "fetches"),
    part=Samples,
    judge=judge,
)
