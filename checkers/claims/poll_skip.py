"""A reader was handed records before and behind an offset, and not the one there that others were.

Offsets that nobody was handed are no gap: transaction markers and aborted records have some. What
only readers of uncommitted records were handed may be aborted: others are asked about it where it
had been acknowledged with acks=all at that offset, or its transaction committed. They themselves
are handed whatever anybody is. A reader is bound from its first offset to its last; a consumer that
seeks, or is assigned the partition anew, has another name from there on. Nobody can tell what was
deleted before the reader came, below the highest start of any replica's log, or compacted away; nor
of records whose send failed, nor of a reader that was handed some at offsets that nobody told. A
log may have been cut short, and have other records there: nor of what was sent when the reader had
passed its offset, nor where readers were handed several values, or the final leader's log has
something else or nothing.
"""

from __future__ import annotations

from highwater.checkers.claim import Claim
from highwater.checkers.findings import Findings
from highwater.checkers.parts import Offsets
from highwater.checkers.skipping import note_skipped


def judge(part: Offsets) -> Findings:
    """Readers of uncommitted records are handed whatever anybody is."""
    found, loud = Findings(), part.facts.promises.uncommitted
    note_skipped(part, found, part.handed_as_committed, lambda client: client not in loud)
    if loud:
        note_skipped(part, found, part.placed, lambda client: client in loud)
    return found


CLAIM = Claim(
    name="poll-skip",
    title="a reader is handed all that is there from its first record to its last",
    definition=__doc__,
    about="records from a reader's first to its last",
    needs=("history",),
    uses=("replica_logs", "replica_ends", "clients"),
    part=Offsets,
    judge=judge,
)
