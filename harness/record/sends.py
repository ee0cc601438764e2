"""The sends of one call to one partition, in columns made for many records a second.

A row is four stores into arrays laid out beforehand, and the writing of a part touches no row at
all: what is recorded must not slow down what is observed.
"""

from __future__ import annotations

import time
from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from highwater.harness.model import ByKey, Outcome, TopicPartition
from highwater.harness.tables import NO_KEY

Numbers = np.ndarray[tuple[int], np.dtype[np.int64]]
Rows = np.ndarray[tuple[int], np.dtype[np.intp]]
Flags = np.ndarray[tuple[int], np.dtype[np.bool_]]

# Is told what is about to be sent: what the rows have in common, which values, and when.
Intends = Callable[[Mapping[str, object], range, int], None]

UNKEYED = np.array([NO_KEY], np.int64)
NOT_YET = 0  # a clock reading that cannot be
NO_OFFSET = -1  # acknowledged without being told where: acks=0
NotOk = dict[int, tuple[Outcome, str | None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What the next part has to say of some sends, in columns.

    `shared` is what all rows have in common, and `ended` says of which of all sends the end is
    told. `not_ok` is by the places of rows.
    """

    shared: Mapping[str, object]
    ended: Flags
    is_open: Flags
    values: Numbers
    offsets: Numbers
    checksums: Numbers
    keys: Numbers
    invoked_ns: Numbers
    completed_ns: Numbers
    intended_ns: Numbers | None
    made_of: Sequence[int | None] | None
    not_ok: NotOk
    partitions: Numbers | None = None  # where they are not all in one

    def __len__(self) -> int:
        return len(self.values)


def _in_turn(numbers: Numbers, values: Numbers) -> Numbers:
    """Of each of these values: the first of the numbers is that of the value 0."""
    found: Numbers = numbers[values % len(numbers)]
    return found


class Sends:
    """What one client sends at once to one partition, or to those that its keys choose: record
    identities are `values`, used once in a run.

    One thread invokes, one thread (or the same) ends, and another one may write meanwhile: the
    clock reading of a row is stored last and read first.
    """

    def __init__(
        self,
        client: str,
        where: TopicPartition | ByKey,
        acks: str,
        values: range,
        intends: Intends = lambda _shared, _values, _at_ns: None,
    ) -> None:
        self._shared: dict[str, object] = {
            "client": client,
            "action": "send",
            "topic": where.told_as,
            "partition": where.partition if isinstance(where, TopicPartition) else None,
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
        self._partitions: Numbers | None = None  # of records in turn, as their keys
        self._offsets = array("q", b"\xff" * len(blank))  # NO_OFFSET
        self._not_ok = NotOk()
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

    def keyed(self, hashes: Numbers, partitions: Numbers | None = None) -> None:
        """With which keys they are sent, in turn: that of the value 0 comes first.

        And to which partitions, if they are not all in one; say so before `invoke`.
        """
        self._keys, self._partitions = hashes, partitions

    def invoke(self, values: range, checksums: Sequence[int] | Numbers) -> None:
        """These records are about to be handed to the producer."""
        start, stop = values.start - self.values.start, values.stop - self.values.start
        now_ns = time.monotonic_ns()
        self._checksums[start:stop] = array("q", np.asarray(checksums, np.int64).tobytes())
        self._invoked_ns[start:stop] = array("q", [now_ns]) * len(values)
        told: dict[str, object] = {}
        if self._made_of:
            told["made_of"] = list(self._made_of[start:stop])
        if self._partitions is not None:
            asked = np.arange(values.start, values.stop)
            told["partition"] = _in_turn(self._partitions, asked).tolist()
        self._intends({**self._shared, **told}, values, now_ns)

    def acknowledged(self, value: int, offset: int) -> None:
        """The broker has the record at `offset` or NO_OFFSET."""
        row = value - self.values.start
        self._offsets[row] = offset
        self._completed_ns[row] = time.monotonic_ns()

    def acknowledged_all(self, values: Numbers, offsets: Numbers, at_ns: Numbers) -> None:
        """The broker has these records, and the client heard so at these clock readings."""
        rows = values - self.values.start
        np.frombuffer(self._offsets, np.int64)[rows] = offsets
        np.frombuffer(self._completed_ns, np.int64)[rows] = at_ns

    def ended(self, value: int, outcome: Outcome, error: str | None) -> None:
        """The send ended in another way: refused (failed), or nobody can tell (unknown)."""
        row = value - self.values.start
        self._not_ok[row] = (outcome, error)
        self._completed_ns[row] = time.monotonic_ns()

    def offsets(self) -> Numbers:
        """The offsets that the broker told, in the order of sending."""
        offsets = np.frombuffer(self._offsets, dtype=np.int64)
        return offsets[offsets >= 0]

    @property
    def topic(self) -> str:
        return str(self._shared["topic"])

    @property
    def waiting(self) -> int:
        """How many have been invoked and have no outcome."""
        completed_ns, invoked_ns = np.array(self._completed_ns), np.array(self._invoked_ns)
        return int(np.count_nonzero((invoked_ns != NOT_YET) & (completed_ns == NOT_YET)))

    def tell(self) -> Told:
        """What is open and what has ended since; what is open gets the outcome `invoked`.

        A later row of the same operation supersedes that.
        """
        completed_ns = np.array(self._completed_ns, dtype=np.int64)
        invoked_ns = np.array(self._invoked_ns, dtype=np.int64)
        has_ended = completed_ns != NOT_YET
        ended = has_ended & ~self._written
        rows = np.flatnonzero((invoked_ns != NOT_YET) & (ended | ~has_ended))
        is_open = ~has_ended[rows]
        values = rows + self.values.start
        return Told(
            shared=self._shared,
            ended=ended,
            is_open=is_open,
            values=values,
            offsets=np.frombuffer(self._offsets, dtype=np.int64)[rows],
            checksums=np.frombuffer(self._checksums, dtype=np.int64)[rows],
            keys=_in_turn(self._keys, values),
            partitions=None if self._partitions is None else _in_turn(self._partitions, values),
            invoked_ns=invoked_ns[rows],
            completed_ns=completed_ns[rows],
            intended_ns=np.frombuffer(self._intended_ns, dtype=np.int64)[rows]
            if self._intended_ns
            else None,
            made_of=[self._made_of[row] for row in rows.tolist()] if self._made_of else None,
            not_ok=self._not_ok_of(rows, is_open),
        )

    def wrote(self, ended: Flags) -> bool:
        """These rows are on the disk; says whether there is nothing left to write."""
        self._written |= ended
        return bool(self._written.all())

    def _not_ok_of(self, rows: Rows, is_open: Flags) -> NotOk:
        """By their places among these rows; nearly always there are none."""
        found = NotOk()
        for row, ending in self._not_ok.copy().items():
            place = int(np.searchsorted(rows, row))
            if place < len(rows) and rows[place] == row and not is_open[place]:
                found[place] = ending
        return found
