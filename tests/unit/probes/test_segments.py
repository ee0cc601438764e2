from collections.abc import Callable
from pathlib import Path

import pytest

from highwater.harness.probes.batches import log_batches, read_batches
from highwater.harness.probes.segments import segment_files

Bytes = Callable[..., bytes]
Writer = Callable[..., Path]


def test_only_live_segments_are_read_and_in_offset_order(
    segment: Writer, partition_dir: Path
) -> None:
    later = segment(base_offset=1000)
    first = segment(base_offset=9)
    for name in ("00000000000000000009.index", f"{0:020d}.log.deleted", "9.log", "orders.log"):
        (partition_dir / name).write_bytes(b"x")

    assert segment_files(partition_dir) == [first, later]


def test_batches_of_all_segments_come_in_offset_order(
    segment: Writer, batch: Bytes, partition_dir: Path
) -> None:
    segment(batch([(None, b"c")], base_offset=2), base_offset=2)
    segment(batch([(None, b"a")]), batch([(None, b"b")], base_offset=1))

    seen = [(found.base_offset, found.path.name) for found in log_batches(partition_dir)]

    assert [offset for offset, _ in seen] == [0, 1, 2]
    assert seen[2][1] == "00000000000000000002.log"


@pytest.mark.parametrize("torn_bytes", [1, 11, 12, 30, 60])
def test_an_unfinished_last_entry_of_the_active_segment_ends_the_walk_quietly(
    segment: Writer, batch: Bytes, torn_bytes: int
) -> None:
    whole = batch([(b"k", b"v")])
    path = segment(whole, batch([(b"k", b"v")], base_offset=1)[:torn_bytes])

    assert [found.size_bytes for found in read_batches(path)] == [len(whole)]


def test_a_preallocated_tail_of_zeros_ends_the_walk_quietly(segment: Writer, batch: Bytes) -> None:
    path = segment(batch([(b"k", b"v")]), bytes(3 << 20))

    assert [found.problem for found in read_batches(path)] == [None]


def test_zeros_with_something_behind_them_are_damage(segment: Writer, batch: Bytes) -> None:
    sound = batch([(b"k", b"v")])
    path = segment(sound, bytes(4096), sound)

    found = list(read_batches(path))

    assert [entry.crc_ok for entry in found] == [True, False]
    assert found[1].size_bytes == 4096 + len(sound)
    assert f"size field at byte {len(sound)} is 0" in str(found[1].problem)


@pytest.mark.parametrize("tail", [b"torn", bytes(12) + b"\x01", bytes(100)])
def test_a_sealed_segment_with_a_bad_end_is_reported_and_the_next_one_is_still_read(
    segment: Writer, batch: Bytes, partition_dir: Path, tail: bytes
) -> None:
    segment(batch([(None, b"a")]), tail)
    segment(batch([(None, b"b")], base_offset=1), base_offset=1)

    found = list(log_batches(partition_dir))

    assert [entry.crc_ok for entry in found] == [True, False, True]
    assert found[1].size_bytes == len(tail)


def test_a_sealed_segment_whose_last_entry_is_cut_is_reported(
    segment: Writer, batch: Bytes, partition_dir: Path
) -> None:
    segment(batch([(None, b"a")])[:-1])
    segment(base_offset=1)

    found = list(log_batches(partition_dir))

    assert [entry.base_offset for entry in found] == [0]
    assert "claims" in str(found[0].problem)


def test_a_missing_segment_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        list(read_batches(tmp_path / f"{0:020d}.log"))
