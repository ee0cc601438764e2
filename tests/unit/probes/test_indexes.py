"""What an offset index says, and what is none."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from highwater.harness.errors import RecordError
from highwater.harness.probes.indexes import Indexed, index_of, read_index

FIRST = 1_000


def an_index(tmp_path: Path, *entries: tuple[int, int], behind: bytes = b"") -> Path:
    path = index_of(tmp_path / f"{FIRST:020}.log")
    path.write_bytes(b"".join(struct.pack(">ii", *each) for each in entries) + behind)
    return path


def test_entries_are_relative_to_the_first_offset_of_the_segment(tmp_path: Path) -> None:
    path = an_index(tmp_path, (4, 4_200), (9, 8_500))

    assert path.name == "00000000000000001000.index"
    assert [*read_index(path)] == [Indexed(1_004, 4_200), Indexed(1_009, 8_500)]


def test_a_file_that_is_written_to_ends_in_zeros(tmp_path: Path) -> None:
    assert [*read_index(an_index(tmp_path, (4, 4_200), behind=bytes(80)))] == [
        Indexed(1_004, 4_200)
    ]
    assert [*read_index(an_index(tmp_path, behind=bytes(80)))] == []
    assert [*read_index(an_index(tmp_path))] == []


@pytest.mark.parametrize(
    ("entries", "behind", "told"),
    [
        (((4, 4_200), (4, 8_500)), b"", "growing entries, saw .*offset=1004"),
        (((4, 4_200), (9, 4_200)), b"", "growing entries, saw .*offset=1009"),
        (((4, 4_200), (0, 0), (9, 8_500)), b"", "zeros behind the last entry"),
        (((4, 4_200),), b"\0\0\0", "entries of 8 bytes, saw 11 bytes"),
    ],
)
def test_what_no_broker_writes_is_refused(
    tmp_path: Path, entries: tuple[tuple[int, int], ...], behind: bytes, told: str
) -> None:
    with pytest.raises(RecordError, match=told):
        [*read_index(an_index(tmp_path, *entries, behind=behind))]
