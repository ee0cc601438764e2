"""Which transactions were handed what others wrote, who wrote before whom: circles of that.

Parts are reduced to one number for each two transactions, and the first and last offset that a
transaction wrote in a partition; circles of these are found on the driver.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from highwater.checkers.atomicity import sent_in_transactions
from highwater.checkers.facts import Place
from highwater.checkers.findings import Findings, Witness
from highwater.checkers.parts import Values
from highwater.checkers.rows import NONE, Bools, Ints, alike, changes, groups, in_order, runs

HANDED, WROTE, UNTOLD = range(3)  # what a note is about
NOBODY_S = "nobody told whose transaction it was handed in"
G0 = "transactions wrote in a circle (G0)"
G1C = "transactions wrote and were handed records in a circle that writes close (G1c)"
SHOWN = 8  # transactions of a circle


class Handed(NamedTuple):
    """Between two clients: in which transaction of `reader` which of `writer` was handed out."""

    writer: str
    reader: str
    written_in: Ints
    handed_in: Ints
    records: Ints


class Wrote(NamedTuple):
    """Where one client's transactions have their first and their last record of a partition."""

    place: Place
    client: str
    transaction: Ints
    first: Ints
    last: Ints


def notes_of(part: Values) -> dict[int, list[Any]]:
    """What is known of the transactions that have records in this part."""
    if not part.known("transaction").any():
        return {}
    sent = sent_in_transactions(part)
    if not sent.any():
        return {}
    rows = np.arange(len(sent))
    writer = part.by_value_here.spread(part.by_value_here.largest(rows, sent))
    handed = np.flatnonzero(
        part.polled_as_committed
        & part.known("transaction")
        & part.known("client")
        & (writer != NONE)
    )
    told, untold = list[Handed](), 0
    for found in _handed(part, handed, writer[handed]):
        if isinstance(found, Handed):
            told.append(found)
        else:
            untold += found
    return {HANDED: told, WROTE: list(_wrote(part, sent)), UNTOLD: [untold] if untold else []}


def _handed(part: Values, rows: Ints, writers: Ints) -> Iterator[Handed | int]:
    """By pairs of clients; of who reads for nobody that is known how many there are."""
    if not len(rows):
        return
    promises = part.facts.promises
    for at in groups(alike(part["client"][rows], part["client"][writers])):
        read, written = rows[at], writers[at]
        reader = promises.sender_of(str(part.text("client", read[0])))
        if reader is None:
            yield len(at)
            continue
        pairs = np.stack([part["transaction"][written], part["transaction"][read]])
        pairs, records = _distinct(pairs)
        yield Handed(str(part.text("client", written[0])), reader, pairs[0], pairs[1], records)


def _wrote(part: Values, sent: Bools) -> Iterator[Wrote]:
    rows = np.flatnonzero(sent & part.is_word("outcome", "ok") & (part["offset"] >= 0))
    if not len(rows):
        return
    for at in groups(alike(part["place"][rows], part["client"][rows])):
        mine = rows[at]
        several, which = np.unique(part["transaction"][mine], return_inverse=True)
        first, last = np.full(len(several), np.iinfo(np.int64).max), np.full(len(several), NONE)
        np.minimum.at(first, which, part["offset"][mine])
        np.maximum.at(last, which, part["offset"][mine])
        client = str(part.text("client", mine[0]))
        yield Wrote(part.place(mine[0]), client, several, first, last)


def _distinct(pairs: Ints) -> tuple[Ints, Ints]:
    """In their order, each with how many there are: far faster than NumPy's own way for columns."""
    ordered = pairs[:, in_order(*pairs)]
    first = np.flatnonzero(changes(*ordered))
    return ordered[:, first], runs(first, ordered.shape[1])


class Names:
    """Numbers of transactions, in the order of their clients and of their own numbers."""

    def __init__(self, named: Sequence[tuple[str, Ints]]) -> None:
        self._clients = sorted({client for client, _ in named})
        self._keys, _ = _distinct(np.concatenate([self._pairs(*each) for each in named], axis=1))

    def __len__(self) -> int:
        return int(self._keys.shape[1])

    def _pairs(self, client: str, transactions: Ints) -> Ints:
        return np.stack([np.full(len(transactions), self._clients.index(client)), transactions])

    def of(self, client: str, transactions: Ints) -> Ints:
        low, high = np.searchsorted(self._keys[0], self._clients.index(client) + np.arange(2))
        found: Ints = low + np.searchsorted(self._keys[1, low:high], transactions)
        return found

    def told(self, number: int) -> tuple[str, int]:
        client, transaction = (int(each) for each in self._keys[:, number])
        return self._clients[client], transaction


def conclusions(found: Findings) -> Findings:
    """Findings of what all parts have noted."""
    handed, wrote = found.notes.get(HANDED, []), found.notes.get(WROTE, [])
    untold = sum(found.notes.get(UNTOLD, []))
    found.considered += untold
    found.doubt(NOBODY_S, untold)
    found.notes.clear()
    named = [(one.writer, one.written_in) for one in handed]
    named += [(one.reader, one.handed_in) for one in handed]
    named += [(one.client, one.transaction) for one in wrote]
    if not named:
        return found
    names = Names(named)
    reads = _together([(names.of(one.writer, one.written_in), names.of(one.reader, one.handed_in))
                       for one in handed])  # fmt: skip
    records = np.concatenate([one.records for one in handed]) if handed else np.empty(0, np.int64)
    others = reads[0] != reads[1]  # who is handed his own is precommitted-read's
    found.considered += int(records[others].sum())
    reads = reads[:, others]
    for circle in _circles(reads, len(names)):
        found.one_anomaly(_witness(circle, names))
    writes = _orders(wrote, names)
    found.allow(G0, _in_circles(writes, len(names)) >= 0)
    closed = _in_circles(np.concatenate([reads, writes], axis=1), len(names))
    found.allow(G1C, _have_reads(closed, reads) & (_in_circles(reads, len(names)) < 0))
    return found


def _together(edges: Sequence[tuple[Ints, Ints]]) -> Ints:
    """From whom, and to whom."""
    nothing = np.empty((2, 0), np.int64)
    return np.concatenate([nothing, *(np.stack(each) for each in edges)], axis=1)


def _in_circles(edges: Ints, count: int) -> Ints:
    """For each transaction the number of the circles that it is in, -1 where it is in none."""
    if not edges.shape[1]:
        return np.full(count, -1)
    from scipy.sparse import coo_array  # noqa: PLC0415 - few records have any of this
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

    graph = coo_array((np.ones(edges.shape[1], np.int8), tuple(edges)), shape=(count, count))
    _, found = connected_components(graph, directed=True, connection="strong")
    several: Bools = np.bincount(found)[found] > 1
    return np.where(several, found, -1)


def _have_reads(circles: Ints, reads: Ints) -> Bools:
    """Which transactions are in circles in which somebody was handed something."""
    inside = (circles[reads[0]] >= 0) & (circles[reads[0]] == circles[reads[1]])
    return np.isin(circles, circles[reads[0][inside]])


def _circles(edges: Ints, count: int) -> Iterator[list[int]]:
    """A shortest one through the first transaction of all that depend on one another."""
    within = _in_circles(edges, count)
    edges = edges[:, (within[edges[0]] >= 0) & (within[edges[0]] == within[edges[1]])]
    following: dict[int, list[int]] = {}
    for one, other in _distinct(edges)[0].T.tolist():
        following.setdefault(one, []).append(other)
    _, firsts = np.unique(within, return_index=True)
    for first in sorted(int(each) for each in firsts if within[each] >= 0):
        yield _shortest(first, following)


def _shortest(first: int, following: dict[int, list[int]]) -> list[int]:
    before, waiting = dict[int, int](), deque([first])
    while first not in before:
        one = waiting.popleft()
        for other in following.get(one, ()):
            if other not in before:
                before[other] = one
                waiting.append(other)
    found = [before[first]]
    while found[-1] != first:
        found.append(before[found[-1]])
    return found[::-1]


def _witness(circle: list[int], names: Names) -> Witness:
    """Each was handed something of the one before it, and the first one of the last."""
    told = [names.told(each) for each in circle]
    shown = [f"{client} {transaction}" for client, transaction in told[:SHOWN]]
    more = ["..."] if len(told) > SHOWN else []
    client, transaction = told[0]
    return {
        "client": client,
        "transaction": transaction,
        "transactions": len(told),
        "circle": ", ".join([*shown, *more]),
    }


def _orders(wrote: Sequence[Wrote], names: Names) -> Ints:
    """Who wrote something before something of whom, as few as lead to the same circles.

    In a partition each has written before whoever began next; and the last one who began before
    another had ended has written before that one.
    """
    by_place: dict[Place, list[Wrote]] = {}
    for one in wrote:
        by_place.setdefault(one.place, []).append(one)
    edges = []
    for mine in by_place.values():
        several = np.concatenate([names.of(one.client, one.transaction) for one in mine])
        who, which = np.unique(several, return_inverse=True)
        first, last = np.full(len(who), np.iinfo(np.int64).max), np.full(len(who), NONE)
        np.minimum.at(first, which, np.concatenate([one.first for one in mine]))
        np.maximum.at(last, which, np.concatenate([one.last for one in mine]))
        order = np.argsort(first, kind="stable")
        who, first, last = who[order], first[order], last[order]
        edges.append((who[:-1], who[1:]))
        latest = np.searchsorted(first, last) - 1
        beyond = latest > np.arange(len(who))
        edges.append((who[latest[beyond]], who[beyond]))
    return _together(edges)
