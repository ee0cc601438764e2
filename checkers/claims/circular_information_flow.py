"""Transactions were handed records of one another, in a circle (Adya's G1c).

A transaction that is handed a record of another one, and reads and writes in one (a pipeline),
begins to depend on it: the other one had been committed by then. Where such dependencies lead from
a transaction over others back to itself, each of them was committed before itself. Asked is of
every record that a reader of committed records was handed in a transaction, and whose value was
sent once, in another transaction that is not known to have failed.

In which order transactions wrote does not count: Kafka commits what was written to several
partitions at once, and does not keep it apart from what others write meanwhile (KIP-98). That
transactions wrote one before the other in one partition and after it in another, or one between two
records of the other (G0), is told with the verdict, and so are circles that need such an order to
be closed. What a transaction is handed of its own is precommitted-read.
"""

from __future__ import annotations

from highwater.checkers.circles import conclusions, notes_of
from highwater.checkers.claim import Claim
from highwater.checkers.facts import Facts
from highwater.checkers.findings import Findings
from highwater.checkers.parts import Values


def judge(part: Values) -> Findings:
    return Findings(notes=notes_of(part))


def conclude(found: Findings, _facts: Facts) -> Findings:
    return conclusions(found)


CLAIM = Claim(
    name="circular-information-flow",
    title="no transaction depends on what others made of its own records",
    definition=__doc__,
    about="records of transactions that other transactions were handed",
    needs=("history",),
    uses=("clients",),
    part=Values,
    judge=judge,
    conclude=conclude,
)
