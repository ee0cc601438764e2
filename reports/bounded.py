"""Tables of millions of rows, of which a page needs those around anomalies alone.

They are read part by part. What the judge has found is around these rows; what is true of all of
them is in verdicts.json and measures.parquet, for the judge has read every one. Looks at replicas
are kept whole for the partitions that are drawn: when a log was cut, and of what, is told by them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeGuard

import pyarrow as pa
import pyarrow.compute as pc

from highwater.harness.model import Verdict
from highwater.harness.record.reader import StoredRun
from highwater.reports.forms import MOST

MOST_ROWS = 200_000  # of a table that is read as a whole
AROUND = 3  # offsets on either side of an anomaly
FIRST = 30  # rows that are shown of any record
RECORDS, LOOKS = ("history", "replica_logs"), "replica_states"
MOST_LOOKS = 10 * MOST_ROWS  # of the partitions that are drawn
DRAWN = 4  # of them at least, those that the judge names among them
PLACES = ["topic", "partition", "broker"]


@dataclass(slots=True)
class Asked:
    """Which records are looked for: by value, and by offset in whatever partition; and which
    partitions these are of.
    """

    values: set[int] = field(default_factory=set)
    offsets: set[int] = field(default_factory=set)
    partitions: set[tuple[str, int]] = field(default_factory=set)

    def rows(self, part: pa.Table) -> pa.Table:
        """Those of a part that are asked for, and those that say where a reader ended."""
        chosen = pc.or_(_among(part["value"], self.values), _among(part["offset"], self.offsets))
        if "action" in part.column_names:
            chosen = pc.or_(chosen, pc.equal(part["action"], "end"))
        return part.filter(chosen)

    def looks(self, part: pa.Table) -> pa.Table:
        """Those at these partitions, and one at each other one: that there are others is told."""
        there = part.select(["topic", "partition"]).append_column("at", pa.array(range(len(part))))
        first = there.group_by(["topic", "partition"], use_threads=False).aggregate([("at", "min")])
        others = sorted({*zip(*_texts(first), strict=True)} - self.partitions)
        self.partitions |= {*others[: max(0, DRAWN - len(self.partitions))]}
        chosen = pc.is_in(there["at"], value_set=first["at_min"].combine_chunks())
        for topic, partition in self.partitions:
            here = pc.equal(part["topic"], topic), pc.equal(part["partition"], partition)
            chosen = pc.or_(chosen, pc.and_(*here))
        return part.filter(chosen)

    def add(self, part: pa.Table) -> None:
        """What stands in these rows, too."""
        self.values |= {value for value in part["value"].to_pylist() if value is not None}
        self.offsets |= {offset for offset in part["offset"].to_pylist() if offset is not None}


@dataclass(frozen=True, slots=True)
class Excerpt:
    """What is kept of a table, how many rows it has, and of a log which replicas it is of."""

    rows: pa.Table
    of: int
    places: frozenset[tuple[str, int, int]] = frozenset()


def asked_of(verdicts: Sequence[Verdict]) -> Asked:
    """The records that the counterexamples name, and their neighbours."""
    asked = Asked()
    for witness in (each for verdict in verdicts for each in verdict.witnesses):
        value, offset = witness.get("value"), witness.get("offset")
        topic, partition = witness.get("topic"), witness.get("partition")
        if type(topic) is str and _is_number(partition):
            asked.partitions.add((topic, partition))
        if _is_number(value):
            asked.values.add(value)
        if _is_number(offset):
            asked.offsets |= set(range(max(0, offset - AROUND), offset + AROUND + 1))
    return asked


def excerpt(run: StoredRun, name: str, asked: Asked) -> Excerpt:
    """What is asked for of a large table; what is found is asked for in the tables that follow.

    Of a table that does not tell of records by value the first rows. Raises RecordError as the run
    does.
    """
    found_in: list[pa.Table] = []
    most = MOST_LOOKS if name == LOOKS else MOST_ROWS
    places: set[tuple[str, int, int]] = set()
    of = held = 0
    for number, part in enumerate(run.each_part(name)):
        of += len(part)
        if name in RECORDS:
            if number == 0 and name == "history":
                asked.add(part.slice(0, FIRST))
            found = asked.rows(part)
        else:
            found = asked.looks(part) if name == LOOKS else part
        found = found.slice(0, max(0, most - held))
        held += len(found)
        found_in.append(found)
        if name == "replica_logs":
            told = part.group_by(PLACES).aggregate([]).to_pylist()
            places |= {(each["topic"], each["partition"], each["broker"]) for each in told}
    rows = pa.concat_tables(found_in).combine_chunks()
    if name == "history":
        asked.add(rows)
    return Excerpt(rows, of, frozenset(places))


def kept(name: str) -> str:
    """Which of the rows of a large table are on the page."""
    if name in RECORDS:
        return "what is around anomalies"
    return "what is of the partitions that are drawn" if name == LOOKS else "the first"


def _is_number(told: object) -> TypeGuard[int]:
    """Whether it can stand in a table; a witness of somebody else's may be anything."""
    return type(told) is int and -MOST <= told <= MOST


def _texts(table: pa.Table) -> list[list[Any]]:
    return [table.column(name).to_pylist() for name in ("topic", "partition")]


def _among(column: pa.ChunkedArray, chosen: set[int]) -> pa.ChunkedArray:
    wanted = pa.array(sorted(chosen), column.type)
    return pc.is_in(column, value_set=wanted)
