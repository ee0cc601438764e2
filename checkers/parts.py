"""The parts of a run that claims are judged on: rows that belong together, sorted.

Whatever the record's size, a claim sees one part at a time: all rows of some values, of some
offsets, of some segments, or all samples of some partitions.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from highwater.checkers.facts import Facts, Place
from highwater.checkers.findings import Shown
from highwater.checkers.neighbours import Groups
from highwater.checkers.promises import UNCOMMITTED, Client
from highwater.checkers.rows import (
    NONE,
    Bools,
    Ints,
    Rows,
    alike,
    changes,
    constant,
    in_order,
    places,
    reordered,
)

if TYPE_CHECKING:
    import pandas as pd

SEND, POLL, LOG = range(3)  # the kinds of rows: polls are those that were answered

Starts = npt.NDArray[np.intp]


class Part:
    """Rows in the order of some columns; they are sorted when they are asked for."""

    def __init__(self, rows: Rows, facts: Facts, by: tuple[str, ...]) -> None:
        self.facts = facts
        where, self.places = places(rows)
        self._rows = rows.with_columns(place=where)
        self._order = in_order(*(self._rows[name] for name in by))
        self._sorted: dict[str, Ints] = {}
        self._masks: dict[tuple[str, Any], Bools] = {}

    def __getitem__(self, name: str) -> Ints:
        if name not in self._sorted:
            self._sorted[name] = reordered(self._rows[name], self._order)
        return self._sorted[name]

    def is_word(self, name: str, *wanted: str) -> Bools:
        column = Rows({name: self[name]}, self._rows.words)
        return self._masked((name, wanted), lambda: column.is_word(name, *wanted))

    def known(self, name: str) -> Bools:
        return self._masked((name, NONE), lambda: self[name] != NONE)

    def is_kind(self, kind: int) -> Bools:
        return self._masked((KIND, kind), lambda: self[KIND] == kind)

    def _masked(self, what: tuple[str, Any], made: Callable[[], Bools]) -> Bools:
        """Claims ask for the same masks again and again; none of them may change one."""
        if what not in self._masks:
            self._masks[what] = made()
            self._masks[what].flags.writeable = False
        return self._masks[what]

    def present(self, name: str, rows: Bools) -> Bools:
        """Which of the words of a column stand in the rows of a mask."""
        there = np.zeros(len(self._rows.words[name]) + 1, bool)
        there[self[name][rows & self.known(name)]] = True
        return there

    def text(self, name: str, row: int | np.intp) -> str | None:
        return self._rows.text(name, int(self[name][row]))

    def number(self, name: str, row: int) -> int | None:
        found = int(self[name][row])
        return None if found == NONE else found

    def place(self, row: int | np.intp) -> Place:
        return self.places[int(self["place"][row])]

    def of_place(self, what: Callable[[Place], int]) -> Ints:
        """A number for each row that its partition decides."""
        found = np.array([what(place) for place in self.places], np.int64)
        if len(found) and (found == found[0]).all():
            return constant(found[0], len(self["place"]))
        return found[self["place"]]

    def of_clients(self, chosen: Callable[[Client], bool]) -> Bools:
        """The rows of clients of which this is true."""
        promises, names = self.facts.promises, self._rows.words["client"]
        found = np.array([chosen(promises.client(str(name))) for name in names], bool)
        if not found.any():
            return np.zeros(len(self["client"]), bool)
        known: Bools = self.known("client")
        return known if found.all() else known & found[np.where(known, self["client"], 0)]

    def of_client(self, what: Callable[[Client], int]) -> Ints:
        """A number for each row that its client decides; NONE where there is no client."""
        promises, names = self.facts.promises, self._rows.words["client"]
        told = np.array([*(what(promises.client(str(name))) for name in names), NONE], np.int64)
        return told[np.where(self.known("client"), self["client"], len(names))]

    @property
    def reads_uncommitted(self) -> Bools:
        """Rows of readers that are known to ask for uncommitted records too."""
        return self.of_clients(lambda client: client.isolation == UNCOMMITTED)

    def shown(self, *names: str, **more: Ints) -> Shown:
        """Columns as a witness shows them."""
        own = {name: (self[name], self._rows.words.get(name)) for name in names}
        return {**own, **{name: (column, None) for name, column in more.items()}}

    def starts(self, *names: str) -> Starts:
        """Where another one of these begins."""
        return np.flatnonzero(changes(*(self[name] for name in names)))

    @cached_property
    def leaders(self) -> Ints:
        """For each row who led its partition at the end."""

        def leader(place: Place) -> int:
            found = self.facts.leader(place)
            return NONE if found is None else found.broker

        return self.of_place(leader)

    @cached_property
    def acknowledged(self) -> Bools:
        """What Kafka promised to keep: sends that the whole in-sync set acknowledged."""
        promised = self.is_word("outcome", "ok") & self.is_word("acks", "all")
        return self.is_kind(SEND) & promised

    @cached_property
    def placed(self) -> Bools:
        """Records that readers were handed at a known offset."""
        found: Bools = self.is_kind(POLL) & (self["offset"] >= 0)
        return found

    @cached_property
    def handed_as_committed(self) -> Bools:
        """The same without what may be aborted: of a reader that is known to ask for uncommitted
        records what had been acknowledged at that very offset.
        """
        loud = self.placed & self.reads_uncommitted
        found: Bools = self.placed & ~loud
        if loud.any():
            rows = np.flatnonzero(loud & self.known("value"))
            sends = np.flatnonzero(self.acknowledged)
            both = np.append(sends, rows)
            same = alike(*(self[name][both] for name in ("place", "offset", "value")))
            found[rows] = np.isin(same[len(sends) :], same[: len(sends)])
        return found


KIND = "kind"


class Values(Part):
    """All sends and polls of some values, and all copies of their records in replicas' logs."""

    def __init__(self, rows: Rows, facts: Facts) -> None:
        super().__init__(rows, facts, ("value", "place"))

    def around(self, rows: Bools) -> Values:
        """These rows, and all others of their values in their partitions."""
        near = self.by_value_here.anywhere(rows)
        return Values(self._rows.take(self._order[near]), self.facts)

    @cached_property
    def by_value(self) -> Groups:
        return Groups(changes(self["value"]))

    @cached_property
    def by_value_here(self) -> Groups:
        """By value and partition."""
        return Groups(changes(self["value"], self["place"]))

    @cached_property
    def polled(self) -> Bools:
        """Records with a value that a reader was handed."""
        return self.is_kind(POLL) & self.known("value")

    @cached_property
    def polled_as_committed(self) -> Bools:
        """The same without readers that are known to ask for uncommitted records too."""
        return self.polled & ~self.reads_uncommitted

    @cached_property
    def handed_to_their_sender(self) -> Bools:
        """Records that a reader was handed that had sent their value, to whatever partition."""
        sends, found = self.is_kind(SEND), np.zeros(len(self["client"]), bool)
        both = self.present("client", sends) & self.present("client", self.polled)
        if both.any():
            client = np.where(self.known("client"), self["client"], -1)
            rows = np.flatnonzero((sends | self.polled) & both[client])
            pairs = alike(self["value"][rows], client[rows])
            found[rows] = ~sends[rows] & np.isin(pairs, pairs[sends[rows]])
        return found

    @cached_property
    def read(self) -> Bools:
        """What some reader was handed, in this partition."""
        return self.by_value_here.anywhere(self.polled)

    @cached_property
    def ended_ns(self) -> Ints:
        """When a send or a poll ended; NONE for a send, and LAST for a poll, of which nobody knows.

        A poll that ended when it began travels without its end.
        """
        at_once = self.is_kind(POLL) & ~self.known("completed_ns")
        return np.where(at_once, self["invoked_ns"], self["completed_ns"])

    @cached_property
    def ran_backwards(self) -> Bools:
        """Rows that ended before they began: a clock was set back."""
        found: Bools = (self.ended_ns != NONE) & (self.ended_ns < self["invoked_ns"])
        return found

    @cached_property
    def open(self) -> Bools:
        """Sends that nobody knows the end of: what is told of them is not superseded.

        The rows of one send have its number, client, value and beginning in common. It is told
        every second that it is open: the first of these rows stands for all.
        """
        invoked = self.is_kind(SEND) & self.is_word("outcome", "invoked")
        if not invoked.any():
            return invoked
        rows = np.flatnonzero(self.is_kind(SEND) & self.by_value_here.anywhere(invoked))
        keys = [self[name][rows] for name in ("value", "place", "op", "client", "invoked_ns")]
        order = in_order(*keys)
        rows = rows[order]
        sends = Groups(changes(*(key[order] for key in keys)))
        found = np.zeros(len(invoked), bool)
        is_first = np.zeros(len(rows), bool)
        is_first[sends.starts] = True
        found[rows] = is_first & invoked[rows] & ~sends.anywhere(~invoked[rows])
        return found

    @cached_property
    def on_leader(self) -> Bools:
        """What the final leader's log has, in this partition."""
        return self.by_value_here.anywhere(self.kept_by_leader)

    @cached_property
    def kept_by_leader(self) -> Bools:
        """Records with a value in the final leader's log."""
        kept = self.is_kind(LOG) & self.known("broker") & self.known("value")
        found: Bools = kept & (self["broker"] == self.leaders)
        return found


class Offsets(Part):
    """All that is known of some offsets: polls, acknowledged sends, and records in logs."""

    def __init__(self, rows: Rows, facts: Facts) -> None:
        super().__init__(rows, facts, ("place", "offset"))


class Samples:
    """Everything sampled about some partitions and brokers, a frame for each table."""

    def __init__(self, tables: dict[str, pd.DataFrame], facts: Facts) -> None:
        self.facts = facts
        self._tables = tables

    def __getitem__(self, table: str) -> pd.DataFrame:
        return self._tables[table]
