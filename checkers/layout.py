"""Lays the rows of a record out for claims: which columns a part has, and in which it belongs.

A large run is cut into parts that fit into memory. Blocks of values, or of a partition's offsets,
stay together, so that what was in order stays nearly so; a hash spreads the blocks.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from highwater.checkers.facts import BLOCK_BITS
from highwater.checkers.parts import KIND, LOG, POLL, SEND, Offsets, Values
from highwater.checkers.rows import LAST, NONE, Bools, Ints, Rows, constant, is_constant, joined
from highwater.checkers.segments import Segments

_VALUES = (
    "topic", "partition", "offset", "value", "op", "checksum", "client", "broker", "outcome",
    "acks", "invoked_ns", "completed_ns", "intended_ns", "error", "problem", "is_control",
    "transaction", "made_of", "key",
)  # fmt: skip
_OFFSETS = (
    "topic", "partition", "offset", "value", "op", "client", "outcome", "acks", "invoked_ns",
    "completed_ns", "broker", "leader_epoch", "digest", "checksum", "is_control", "problem",
)  # fmt: skip
_SEGMENTS = ("topic", "partition", "broker", "segment", "position", "offset", "leader_epoch")
_TEXTS = {"topic", "client", "outcome", "acks", "error", "problem", "segment"}
_SPREAD = np.uint64(0x9E3779B97F4A7C15)  # Fibonacci hashing: 2**64 / the golden ratio


def part_rows(part: type[Any], tables: Mapping[str, Rows]) -> Rows:
    """What of these tables a kind of part is made of."""
    return joined(
        [lay_out(part, name, rows) for name, rows in tables.items() if name in TABLES[part]]
    )


def lay_out(part: type[Any], table: str, rows: Rows) -> Rows:
    return TABLES[part][table](rows)


def buckets(part: type[Any], rows: Rows, count: int) -> Ints:
    """For each row, in which of `count` parts it belongs."""
    if part is Values:
        keys = rows["value"] >> BLOCK_BITS
    elif part is Offsets:
        keys = _places(rows) + (rows["offset"] >> BLOCK_BITS)
    else:
        keys = _places(rows) + 131 * rows["broker"] + _hashes(rows, "segment")
    spread = keys.astype(np.uint64) * _SPREAD
    spread >>= np.uint64(32)
    spread *= np.uint64(count)  # instead of a division, which takes longer
    spread >>= np.uint64(32)
    return spread.view(np.int64)


def _places(rows: Rows) -> Ints:
    return _hashes(rows, "topic") + (rows["partition"] << 20)


def _hashes(rows: Rows, name: str) -> Ints:
    """Equal for equal texts, in whatever part of the record they stand."""
    hashes = np.array([zlib.crc32(str(word).encode()) for word in rows.words[name]], np.int64)
    return hashes[rows[name]]


def _sends_and_polls(rows: Rows) -> Rows:
    kind = _kinds(rows)
    op = _only_of(SEND, rows, kind, "op")  # by which one row of a send is known to be another's
    rows = rows.with_columns(completed_ns=_ends(rows, kind), op=op)
    return _widened(rows, _VALUES, kind).take(kind != NONE)


def _ends(rows: Rows, kind: Ints) -> Ints:
    """Without those of polls that ended when they began, which need not travel; see `ended_ns`."""
    polls, ended = kind == POLL, rows["completed_ns"]
    at_once = polls & (ended == rows["invoked_ns"])
    if at_once.all():
        return constant(NONE, len(rows))
    unknown = polls & ~rows.known("completed_ns")
    return np.where(at_once, NONE, np.where(unknown, LAST, ended)) if polls.any() else ended


def _placed(rows: Rows) -> Rows:
    """Polls, and what Kafka promised to keep at a known offset."""
    kind = _kinds(rows)
    promised = (kind == SEND) & rows.is_word("acks", "all") & rows.is_word("outcome", "ok")
    unasked = {name: _only_of(SEND, rows, kind, name) for name in ("invoked_ns", "completed_ns")}
    unasked["checksum"] = constant(NONE, len(rows))
    wide = _widened(rows.with_columns(**unasked), _OFFSETS, kind)
    return wide.take((kind == POLL) | (promised & (rows["offset"] >= 0)))


def _only_of(one: int, rows: Rows, kind: Ints, name: str) -> Ints:
    """Without what no claim asks of the other kind: it need not travel."""
    if is_constant(kind):
        return rows[name] if kind[0] == one else constant(NONE, len(rows))
    return np.where(kind == one, rows[name], NONE)


def _kinds(rows: Rows) -> Ints:
    polled = rows.is_word("action", "poll") & rows.is_word("outcome", "ok")
    for kind, mask in ((SEND, rows.is_word("action", "send")), (POLL, polled)):
        if mask.all():
            return constant(kind, len(rows))
    return np.where(rows.is_word("action", "send"), SEND, np.where(polled, POLL, NONE))


def _widened(rows: Rows, names: tuple[str, ...], kind: Ints) -> Rows:
    """Other columns too, with nothing in them."""
    nothing = constant(NONE, len(rows))
    columns = {name: rows.columns.get(name, nothing) for name in names}
    words = {name: rows.words.get(name, np.array([], object)) for name in names if name in _TEXTS}
    return Rows({**columns, KIND: kind}, words)


def _copies(names: tuple[str, ...], chosen: Callable[[Rows], Bools] | None = None) -> Any:
    def laid_out(rows: Rows) -> Rows:
        made = _widened(rows, names, constant(LOG, len(rows)))
        return made if chosen is None else made.take(chosen(rows))

    return laid_out


TABLES: Mapping[type[Any], Mapping[str, Callable[[Rows], Rows]]] = {
    Values: {"history": _sends_and_polls, "replica_logs": _copies(_VALUES)},
    Offsets: {"history": _placed, "replica_logs": _copies(_OFFSETS)},
    Segments: {"replica_logs": _copies(_SEGMENTS, lambda rows: ~rows.known("problem"))},
}
