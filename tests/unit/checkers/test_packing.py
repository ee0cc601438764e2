"""Rows that travel are the same afterwards, and take no more room than they must."""

from __future__ import annotations

import pickle

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from highwater.checkers.packing import Packed, apart, unpacked
from highwater.checkers.rows import NONE, Rows, constant, from_arrow, is_constant

NUMBERS = st.one_of(
    st.none(),
    st.integers(0, 300),
    st.integers(2**31, 2**33),
    st.sampled_from([-(2**62), -1, 2**62, 2**63 - 1]),
)
WORDS = st.one_of(st.none(), st.sampled_from(["a", "b", "c"]))


def rows_of(numbers: list[int | None], words: list[str | None]) -> Rows:
    columns = {"number": pa.array(numbers, pa.int64()), "word": pa.array(words, pa.string())}
    return from_arrow(pa.table(columns))


def told(rows: Rows) -> list[tuple[int | None, str | None]]:
    numbers = [None if each == NONE else each for each in rows["number"].tolist()]
    words = [rows.text("word", each) for each in rows["word"].tolist()]
    return list(zip(numbers, words, strict=True))


@settings(deadline=None)
@given(st.lists(st.tuples(NUMBERS, WORDS, st.integers(0, 3), st.booleans()), min_size=1))
def test_what_is_sent_to_a_part_arrives_there_in_order(
    sent: list[tuple[int | None, str | None, int, bool]],
) -> None:
    pieces = [[row for row in sent if row[3] is first] for first in (True, False)]
    arrived: dict[int, list[Packed]] = {}
    for piece in filter(None, pieces):
        rows = rows_of([row[0] for row in piece], [row[1] for row in piece])
        for part, packed in apart(rows, np.array([row[2] for row in piece])):
            arrived.setdefault(part, []).append(pickle.loads(pickle.dumps(packed)))

    assert {part: told(unpacked(packed)) for part, packed in arrived.items()} == {
        part: [row[:2] for piece in pieces for row in piece if row[2] == part]
        for part in sorted({row[2] for row in sent})
    }


def test_no_rows_go_to_no_part() -> None:
    nothing = rows_of([1], ["a"]).take(np.array([False]))

    assert list(apart(nothing, np.empty(0, np.int64))) == []


def test_a_column_that_says_the_same_everywhere_takes_no_room() -> None:
    rows = Rows({"number": constant(7, 1000), "other": np.arange(1000) + 2**40}, {})

    ((_, packed),) = apart(rows, np.zeros(1000, np.int64))

    assert len(pickle.dumps(packed)) < 2_500
    assert is_constant(unpacked([packed, packed])["number"])
    assert unpacked([packed])["other"].tolist() == rows["other"].tolist()


@pytest.mark.parametrize("offset", range(10))
def test_nulls_are_found_wherever_an_array_begins(offset: int) -> None:
    numbers = pa.array([None if place % 3 == 1 else place for place in range(20)], pa.int32())
    words = pa.array([None if place % 4 == 1 else f"w{place % 5}" for place in range(20)])
    table = pa.table({"number": numbers.slice(offset), "word": words.slice(offset)})

    rows = from_arrow(table)

    assert told(rows) == list(zip(*(column.to_pylist() for column in table.columns), strict=True))
