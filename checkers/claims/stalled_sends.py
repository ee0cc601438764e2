"""For thirty seconds and more sends to a partition were waiting, and none was acknowledged.

That is the default of request.timeout.ms; linger.ms is allowed besides. Faults that last longer are
for the scenario to tolerate. Time goes by tenths of a second: one counts when a send waited through
all of it, or was sent in vain in it; who tries again within a second has not ceased to wait. One
that was never answered waits until its client ended, or was killed. Where nobody told, it lived
until it was last heard of; what needs more nobody can tell, nor where none in a partition was
answered. Sends with acks=0 wait for nothing, nor do those that failed for the record's own sake
(MESSAGE_TOO_LARGE); those in a transaction end with it: they are not asked, but commits count. Who
is frozen waits. The longest such time is told, and what was acknowledged under each fault.
"""

from __future__ import annotations

from highwater.checkers.claim import Claim
from highwater.checkers.facts import Facts
from highwater.checkers.findings import Findings
from highwater.checkers.lives import let_wait, longest_linger_ms
from highwater.checkers.parts import Values
from highwater.checkers.progress import TENTH_NS, long_stalls, longest_stall
from highwater.checkers.waiting import open_since

OPEN = 0  # the notes about sends that were never answered


def judge(part: Values) -> Findings:
    return Findings(notes={OPEN: found} if (found := list(open_since(part))) else {})


def conclude(found: Findings, facts: Facts) -> Findings:
    may_be = let_wait(facts, found.notes.get(OPEN, []))
    for place, _, begun in found.notes.get(OPEN, []):
        if not facts.progress[place].answered:
            found.doubt("never answered, nor was any other in its partition", sum(begun.values()))
    asked = sorted((place, one) for place, one in facts.progress.items() if one.asked)
    found.considered = len(asked)
    for place, progress in asked:
        linger_ms = longest_linger_ms(facts, place)
        for since, until in (long := long_stalls(progress, linger_ms)):
            times = {"since_ns": since * TENTH_NS, "until_ns": until * TENTH_NS}
            found.one_anomaly({"topic": place[0], "partition": place[1], **times})
        if not long and place in may_be and long_stalls(may_be[place], linger_ms):
            found.doubt("its sender may have ended before, and nobody told", 1)
    if asked:
        longest = max(longest_stall(progress) for _, progress in asked)
        found.remark = f"the longest time without an acknowledgement: {longest / 10:.1f} s"
    return found


CLAIM = Claim(
    name="stalled-sends",
    title="of the sends that wait one is acknowledged",
    definition=__doc__,
    about="partitions with sends that wait for acknowledgements",
    needs=("history",),
    uses=("clients",),
    part=Values,
    judge=judge,
    conclude=conclude,
)
