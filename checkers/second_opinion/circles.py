"""Transactions that depend on one another."""

from __future__ import annotations

from collections import defaultdict

from highwater.checkers.second_opinion.opinion import Opinion
from highwater.checkers.second_opinion.record import Record
from highwater.checkers.second_opinion.rows import Row, grouped, identity_of
from highwater.checkers.second_opinion.transactions import sent_in_transactions

Transaction = tuple[str, int]


def circular_information_flow(record: Record) -> Opinion:
    sends = grouped(sent_in_transactions(record), identity_of)
    following: dict[Transaction, set[Transaction]] = defaultdict(set)
    considered, doubts = 0, 0
    for poll in record.polls:
        sent = sends.get(identity_of(poll), ())
        if not sent or poll["transaction"] is None or record.reads_uncommitted(poll):
            continue
        reader = _sender_of(record, poll)
        writer = sent[0]["client"], sent[0]["transaction"]
        if reader is None:
            considered, doubts = considered + 1, doubts + 1
        elif (reader, poll["transaction"]) != writer:
            considered += 1
            following[writer].add((reader, poll["transaction"]))
    reach = {one: _reachable(one, following) for one in following}
    circles = {
        frozenset(other for other in reach[one] if one in reach.get(other, ()))
        for one in reach
        if one in reach[one]
    }
    return Opinion(considered, len(circles), doubts)


def _reachable(
    one: Transaction, following: dict[Transaction, set[Transaction]]
) -> set[Transaction]:
    found, left = set[Transaction](), [one]
    while left:
        for other in following.get(left.pop(), ()):
            if other not in found:
                found.add(other)
                left.append(other)
    return found


def _sender_of(record: Record, poll: Row) -> str | None:
    """Whose transaction it is: of the one producer that is called as the reader."""
    own = record.client(poll["client"])
    if own.get("role") == "producer":
        return str(poll["client"])
    named = [row for row in record["clients"] if row["role"] == "producer"]
    same = {row["client"] for row in named if row["client_id"] == own.get("client_id")}
    return same.pop() if len(same) == 1 and own.get("client_id") is not None else None
