from collections.abc import Callable
from pathlib import Path

import pytest

from highwater.harness.errors import PreconditionError
from highwater.harness.probes.batches import read_batches
from highwater.harness.probes.tail_cut import Cut, cut_tail

Bytes = Callable[..., bytes]
Writer = Callable[..., Path]


@pytest.fixture
def active(segment: Writer, batch: Bytes) -> Path:
    """A log of 0..3 in a sealed segment and batches 4..5, 6..7, 8..9 in the active one."""
    segment(batch([(None, b"v")] * 4))
    pairs = [(None, b"v")] * 2
    path = segment(*[batch(pairs, base_offset=offset) for offset in (4, 6, 8)], base_offset=4)
    for stem in (f"{0:020d}", f"{4:020d}"):
        for suffix in (".index", ".timeindex", ".txnindex"):
            (path.parent / f"{stem}{suffix}").write_bytes(b"index")
    for offset in (4, 6, 7, 10):
        (path.parent / f"{offset:020d}.snapshot").write_bytes(b"snapshot")
    return path


def _files(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.iterdir()}


def test_records_at_and_above_the_offset_are_gone_and_the_rest_is_untouched(active: Path) -> None:
    before = active.read_bytes()
    sealed = active.with_name(f"{0:020d}.log").read_bytes()
    second = list(read_batches(active))[1]

    cut = cut_tail(active.parent, keep_before_offset=6, recovery_point=4)

    assert cut == Cut(
        path=active,
        position=second.position,
        removed_bytes=len(before) - second.position,
        removed_batches=2,
        first_removed_offset=6,
        recovery_point=4,
    )
    assert active.read_bytes() == before[: second.position]
    assert active.with_name(f"{0:020d}.log").read_bytes() == sealed


def test_indexes_of_the_cut_segment_and_newer_producer_snapshots_are_gone(active: Path) -> None:
    cut_tail(active.parent, keep_before_offset=6, recovery_point=4)

    assert sorted(_files(active.parent)) == [
        "00000000000000000000.index",
        "00000000000000000000.log",
        "00000000000000000000.timeindex",
        "00000000000000000000.txnindex",
        "00000000000000000004.log",
        "00000000000000000004.snapshot",
        "00000000000000000006.snapshot",
    ]


def test_the_whole_active_segment_may_go(active: Path) -> None:
    cut = cut_tail(active.parent, keep_before_offset=4, recovery_point=4)

    assert (cut.position, cut.first_removed_offset) == (0, 4)
    assert active.read_bytes() == b""


def test_an_unfinished_entry_behind_the_cut_goes_too(active: Path) -> None:
    whole = active.read_bytes()
    active.write_bytes(whole + b"unfinished")

    cut = cut_tail(active.parent, keep_before_offset=8, recovery_point=0)

    assert cut.position + cut.removed_bytes == len(whole) + len(b"unfinished")
    assert [entry.last_offset for entry in read_batches(active)] == [5, 7]


def test_damage_behind_the_cut_does_not_stand_in_its_way(active: Path) -> None:
    damaged = bytearray(active.read_bytes())
    damaged[-1] ^= 0x01
    active.write_bytes(damaged)

    assert cut_tail(active.parent, keep_before_offset=6, recovery_point=4).removed_batches == 2


def test_an_unreadable_end_behind_the_cut_does_not_move_the_new_log_end(active: Path) -> None:
    active.write_bytes(active.read_bytes() + bytes(12) + b"garbage")

    cut = cut_tail(active.parent, keep_before_offset=8, recovery_point=4)

    snapshots = sorted(name for name in _files(active.parent) if name.endswith(".snapshot"))
    assert cut.removed_batches == 2
    assert [int(name[:20]) for name in snapshots] == [4, 6, 7]


def test_nothing_is_touched_where_there_is_nothing_to_remove(active: Path) -> None:
    before = _files(active.parent)

    cut = cut_tail(active.parent, keep_before_offset=10, recovery_point=4)

    assert (cut.removed_batches, cut.removed_bytes, cut.first_removed_offset) == (0, 0, None)
    assert cut.position == active.stat().st_size
    assert _files(active.parent) == before


@pytest.mark.parametrize(
    ("keep_before_offset", "recovery_point", "reason"),
    [
        (6, 7, "at or above the recovery point 7, asked for 6"),
        (3, 0, "inside the active segment, which starts at 4, asked for 3"),
        (7, 4, "7 to begin a batch, but the batch at byte"),
    ],
)
def test_a_cut_that_no_power_loss_makes_is_refused_before_anything_changes(
    active: Path, keep_before_offset: int, recovery_point: int, reason: str
) -> None:
    before = _files(active.parent)

    with pytest.raises(PreconditionError, match=reason):
        cut_tail(active.parent, keep_before_offset, recovery_point)

    assert _files(active.parent) == before


def test_a_cut_past_a_damaged_batch_is_refused(active: Path) -> None:
    damaged = bytearray(active.read_bytes())
    damaged[70] ^= 0x01
    active.write_bytes(damaged)

    with pytest.raises(PreconditionError, match="expected sound batches up to the cut at 8"):
        cut_tail(active.parent, keep_before_offset=8, recovery_point=4)

    assert active.read_bytes() == bytes(damaged)


def test_a_cut_inside_a_legacy_wrapper_is_refused(
    segment: Writer, messages: Bytes, wrapper: Bytes, partition_dir: Path
) -> None:
    inner = messages([(None, b"v")] * 3, magic=1)
    segment(wrapper(inner, magic=1, offset=2), wrapper(inner, magic=1, offset=5))

    with pytest.raises(PreconditionError, match=r"holds 3\.\.5"):
        cut_tail(partition_dir, keep_before_offset=4, recovery_point=0)

    assert cut_tail(partition_dir, keep_before_offset=3, recovery_point=0).removed_batches == 1


def test_a_directory_without_a_segment_is_refused(partition_dir: Path) -> None:
    with pytest.raises(PreconditionError, match="saw none"):
        cut_tail(partition_dir, keep_before_offset=0, recovery_point=0)
