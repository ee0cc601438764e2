"""Of a record that a pipeline was handed there are two outputs, or none below its position.

A pipeline is a consumer group of which producers send what its members make of the records that
they are handed (`made_of`): one output of each. By a transaction that has the outputs and the
positions of what they are made of (KIP-98, KIP-447) readers of committed records are handed exactly
one of each. Charged is a record of which such readers were handed two different outputs in one
topic, wherever it lies: who has outputs in several topics may have one in each. And one below the
last position that was confirmed to the group of which they were handed none: no output was ever
sent, or every one failed, is gone, or was passed by such a reader when it had ended and was not
handed out. That one output stands in a log twice is duplicate. What a pipeline was handed as a
reader of uncommitted records is asked about where it had been acknowledged with acks=all at that
offset.

Nobody can tell of a record whose value may stand in its log more than once; of two outputs of one
that no reader was handed; of outputs that no reader is known to have passed, or whose values were
sent more than once; and of a missing one where nobody told of what another was made, nor where
unprocessed could not tell whether a record was the group's to process.
"""

from __future__ import annotations

from highwater.checkers.claim import Claim
from highwater.checkers.facts import Facts
from highwater.checkers.findings import Findings
from highwater.checkers.outputs import notes_of
from highwater.checkers.pairing import put_together
from highwater.checkers.parts import Values


def judge(part: Values) -> Findings:
    return Findings(notes=notes_of(part))


def conclude(found: Findings, facts: Facts) -> Findings:
    return put_together(found, facts)


CLAIM = Claim(
    name="not-exactly-once",
    title="of each record below a pipeline's position there is one output",
    definition=__doc__,
    about="records below the position of a pipeline, or with two outputs",
    needs=("history", "clients", "commits", "processed"),
    uses=("replica_logs", "replica_ends"),
    part=Values,
    judge=judge,
    conclude=conclude,
)
