"""The sends of one call to one partition, in columns made for many records a second.

A row is four stores into arrays laid out beforehand, and the writing of a part touches no row at
all: what is recorded must not slow down what is observed.
"""

from __future__ import annotations

import functools
import time
from array import array
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pyarrow as pa

from highwater.harness.model import Outcome, TopicPartition
from highwater.harness.tables import NO_KEY, history_table

Numbers = np.ndarray[tuple[int], np.dtype[np.int64]]
Rows = np.ndarray[tuple[int], np.dtype[np.intp]]
Flags = np.ndarray[tuple[int], np.dtype[np.bool_]]

# Is told what is about to be sent: what the rows have in common, which values, and when.
Intends = Callable[[Mapping[str, object], range, int], None]

UNKEYED = np.array([NO_KEY], np.int64)
NOT_YET = 0  # a clock reading that cannot be
NO_OFFSET = -1  # acknowledged without being told where: acks=0
OUTCOMES = tuple(Outcome)


@functools.cache
def _names() -> pa.Array:
    """Of outcomes. Arrow loads pandas for its first array, which takes seconds: not before."""
    return pa.array([outcome.value for outcome in OUTCOMES], type=pa.string())


class Sends:
    """What one client sends to one partition: record identities are `values`, used once in a run.

    One thread invokes, one thread (or the same) ends, and another one may write meanwhile: the
    clock reading of a row is stored last and read first.
    """

    def __init__(
        self,
        client: str,
        where: TopicPartition,
        acks: str,
        values: range,
        intends: Intends = lambda _shared, _values, _at_ns: None,
    ) -> None:
        self._shared: dict[str, object] = {
            "client": client,
            "action": "send",
            "topic": where.topic,
            "partition": where.partition,
            "acks": acks,
        }
        self.values = values
        self._intends = intends
        blank = bytes(8 * len(values))
        self._checksums = array("q", blank)
        self._invoked_ns = array("q", blank)
        self._completed_ns = array("q", blank)
        self._intended_ns = array("q")  # empty where nothing was due at any time
        self._made_of: Sequence[int | None] = ()  # empty where nothing was made of anything
        self._keys = UNKEYED
        self._offsets = array("q", b"\xff" * len(blank))  # NO_OFFSET
        self._not_ok: dict[int, tuple[Outcome, str | None]] = {}
        self._written = np.zeros(len(values), dtype=bool)

    def intend(self, due_ns: Numbers) -> None:
        """When each of these records is due, by the clock of `time.monotonic_ns`."""
        self._intended_ns = array("q", due_ns.astype(np.int64).tobytes())

    def within(self, transaction: int) -> None:
        """All of them are sent in this one of its client's transactions; say so before `invoke`."""
        self._shared["transaction"] = transaction

    def made_of(self, inputs: Sequence[int | None]) -> None:
        """Of the value of which record each of them is made; say so before `invoke`."""
        self._made_of = inputs

    def keyed(self, hashes: Numbers) -> None:
        """With which keys they are sent, in turn: that of the value 0 comes first."""
        self._keys = hashes

    def invoke(self, values: range, checksums: Sequence[int]) -> None:
        """These records are about to be handed to the producer."""
        start, stop = values.start - self.values.start, values.stop - self.values.start
        now_ns = time.monotonic_ns()
        self._checksums[start:stop] = array("q", checksums)
        self._invoked_ns[start:stop] = array("q", [now_ns]) * len(values)
        told = {"made_of": list(self._made_of[start:stop])} if self._made_of else {}
        self._intends({**self._shared, **told}, values, now_ns)

    def acknowledged(self, value: int, offset: int) -> None:
        """The broker has the record at `offset` or NO_OFFSET."""
        row = value - self.values.start
        self._offsets[row] = offset
        self._completed_ns[row] = time.monotonic_ns()

    def ended(self, value: int, outcome: Outcome, error: str | None) -> None:
        """The send ended in another way: refused (failed), or nobody can tell (unknown)."""
        row = value - self.values.start
        self._not_ok[row] = (outcome, error)
        self._completed_ns[row] = time.monotonic_ns()

    def offsets(self) -> Numbers:
        """The offsets that the broker told, in the order of sending."""
        offsets = np.frombuffer(self._offsets, dtype=np.int64)
        return offsets[offsets >= 0]

    def table(self, origin_ns: int) -> tuple[pa.Table, Flags]:
        """Rows of what is open and of what has ended since; and which rows those ended ones are.

        What is open gets the outcome `invoked`; its later row supersedes that.
        """
        completed_ns = np.array(self._completed_ns, dtype=np.int64)
        invoked_ns = np.array(self._invoked_ns, dtype=np.int64)
        has_ended = completed_ns != NOT_YET
        ended = has_ended & ~self._written
        rows = np.flatnonzero((invoked_ns != NOT_YET) & (ended | ~has_ended))
        offsets = np.frombuffer(self._offsets, dtype=np.int64)[rows]
        is_open = ~has_ended[rows]
        values = rows + self.values.start
        columns = {
            "op": pa.array(2 * values),
            "value": pa.array(values),
            "offset": pa.array(offsets, mask=is_open | (offsets < 0)),
            "checksum": pa.array(np.frombuffer(self._checksums, dtype=np.int64)[rows]),
            "invoked_ns": pa.array(invoked_ns[rows] - origin_ns),
            "completed_ns": pa.array(completed_ns[rows] - origin_ns, mask=is_open),
            "intended_ns": self._intended(rows, origin_ns),
            "key": pa.array(self._keys[values % len(self._keys)]),
            **self._endings(rows, is_open),
        }
        if self._made_of:
            columns["made_of"] = pa.array([self._made_of[row] for row in rows.tolist()], pa.int64())
        return history_table(columns, self._shared, len(rows)), ended

    def wrote(self, ended: Flags) -> bool:
        """These rows are on the disk; says whether there is nothing left to write."""
        self._written |= ended
        return bool(self._written.all())

    def _intended(self, rows: Rows, origin_ns: int) -> pa.Array:
        if not self._intended_ns:
            return pa.nulls(len(rows), pa.int64())
        return pa.array(np.frombuffer(self._intended_ns, dtype=np.int64)[rows] - origin_ns)

    def _endings(self, rows: Rows, is_open: Flags) -> dict[str, pa.Array]:
        """The columns `outcome` and `error`; nearly always every row says ok."""
        codes = np.where(is_open, OUTCOMES.index(Outcome.INVOKED), OUTCOMES.index(Outcome.OK))
        errors = dict[int, str | None]()
        for row, (outcome, error) in self._not_ok.copy().items():
            place = int(np.searchsorted(rows, row))
            if place < len(rows) and rows[place] == row and not is_open[place]:
                codes[place], errors[place] = OUTCOMES.index(outcome), error
        named = pa.DictionaryArray.from_arrays(codes.astype(np.int8), _names()).cast(pa.string())
        if not errors:
            return {"outcome": named, "error": pa.nulls(len(rows), pa.string())}
        told = pa.array([errors.get(place) for place in range(len(rows))], type=pa.string())
        return {"outcome": named, "error": told}
