"""Of one transaction a reader of committed records was handed one record, and another one is gone.

A transaction is all that one client sent under one number (`transaction`), to whatever partitions:
either all of its records are there for readers of committed records, or none is (KIP-98). That such
a reader was handed one of them shows that it was committed, whether its producer heard of that or
not. Then another one is asked for that no such reader was handed. It is gone where lost-write would
say so of a committed record. Or the final leader's log has it, and a reader passed its offset later
than that one was handed out and was not handed it: by one partition's marker the transaction was
committed, and by another one's aborted. A reader waits at the first record of an open transaction,
so that a marker was there when it passed; one that asks for uncommitted records too is handed all.

Not asked for is a record whose send failed: what is handed out of an aborted transaction is
aborted-read. Nor is one whose value was sent more than once, for nobody can tell of which
transaction it is, or that a producer sent which is known to use none. Of what was sent when another
one had been handed out nobody can tell: its number has been used twice.
"""

from __future__ import annotations

from highwater.checkers.atomicity import notes_of, put_together
from highwater.checkers.claim import Claim
from highwater.checkers.facts import Facts
from highwater.checkers.findings import Findings
from highwater.checkers.parts import Values


def judge(part: Values) -> Findings:
    return Findings(notes=notes_of(part))


def conclude(found: Findings, _facts: Facts) -> Findings:
    return put_together(found)


CLAIM = Claim(
    name="torn-transaction",
    title="of a transaction all records are there, or none is",
    definition=__doc__,
    about="records of transactions of which readers were handed some",
    needs=("history",),
    uses=("replica_logs", "replica_ends", "clients"),
    part=Values,
    judge=judge,
    conclude=conclude,
)
