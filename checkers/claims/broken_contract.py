"""An application made less or more of its inputs than its contract says, or something else.

Inputs and outputs are records, or rows that somebody handed over, and each says by its identity
which input it is, or was made of. Exactly one output of each input, at least one, or at most one is
what inputs of a contract say; where they differ, what none of them gainsays. Charged is an identity
of which there are fewer outputs than inputs below the application's position (missing): of what it
has said to be done with there is the output by then. So is one of which there are more outputs than
inputs (too many), or outputs and no input (made of nothing). Where outputs are to keep the key of
their inputs, an output is charged that has the key of none of its identity (another key). Where
they are to keep the order, an output is charged that is the first one of its input in its partition
and stands behind one of a later input of the same partition (out of order); identities that several
inputs have are not asked. Of what an application sends by itself the inputs are what it has begun
to send, and what was acknowledged to it lies below its position: fewer in the topic are missing.

Nobody can tell of records without an identity, nor, where there are any, whether an output that
nobody can make out is the missing one, or an input what is made of nothing. Nor is anything missing
where nobody told that all outputs were read, or too many where nobody told it of inputs. Outputs
that there may be more of are told.
"""

from __future__ import annotations

from highwater.checkers.claim import Claim
from highwater.checkers.facts import Facts
from highwater.checkers.findings import Findings
from highwater.checkers.keeping import Kept
from highwater.checkers.parts import Samples


def judge(_part: Samples) -> Findings:
    """Nothing of a part by itself: all of a contract is known as a whole."""
    return Findings()


def conclude(found: Findings, facts: Facts) -> Findings:
    for each in facts.contracts:
        Kept(each).judge(found)
    return found


CLAIM = Claim(
    name="broken-contract",
    title="an application makes of each input what its contract says",
    definition=__doc__,
    about="inputs below the position of an application, or outputs",
    needs=("contracts",),
    part=Samples,
    judge=judge,
    conclude=conclude,
)
