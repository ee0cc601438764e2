from pathlib import Path

import pytest

from highwater.harness.errors import RecordError
from highwater.harness.probes.checkpoints import (
    EpochStart,
    read_leader_epochs,
    read_offset_checkpoint,
    stopped_cleanly,
)


def _checkpoint(directory: Path, text: str) -> Path:
    path = directory / "replication-offset-checkpoint"
    path.write_text(text)
    return path


def test_offsets_are_read_by_topic_and_partition(tmp_path: Path) -> None:
    path = _checkpoint(
        tmp_path, "0\n3\norders 0 17\norders 11 0\n__consumer_offsets 4 9000000000\n"
    )

    assert read_offset_checkpoint(path) == {
        ("orders", 0): 17,
        ("orders", 11): 0,
        ("__consumer_offsets", 4): 9_000_000_000,
    }


@pytest.mark.parametrize("text", ["", "0\n0\n"])
def test_a_new_checkpoint_without_entries_is_empty(tmp_path: Path, text: str) -> None:
    assert read_offset_checkpoint(_checkpoint(tmp_path, text)) == {}


def test_a_missing_checkpoint_is_empty(tmp_path: Path) -> None:
    assert read_offset_checkpoint(tmp_path / "log-start-offset-checkpoint") == {}
    assert read_leader_epochs(tmp_path) == []


@pytest.mark.parametrize(
    ("text", "line", "expected"),
    [
        ("1\n0\n", 1, "version 0"),
        ("0\n", 2, "the number of entries"),
        ("0\nmany\n", 2, "an integer"),
        ("0\n2\norders 0 17\n", 4, "2 entries"),
        ("0\n1\norders 0 17\norders 1 4\n", 4, "end of file after 1 entries"),
        ("0\n1\norders 0\n", 3, "'topic partition offset'"),
        ("0\n2\norders 0 17\norders 1 4x\n", 4, "an integer"),
        ("0\n2\norders 0 17\norders 0 18\n", 4, "each partition once"),
        ("\x00\x00\x00\x00", 1, "a line end"),
        ("0\n1\norders 0 1", 3, "a line end"),
    ],
)
def test_a_damaged_checkpoint_names_file_line_and_what_was_expected(
    tmp_path: Path, text: str, line: int, expected: str
) -> None:
    path = _checkpoint(tmp_path, text)

    with pytest.raises(RecordError) as caught:
        read_offset_checkpoint(path)

    assert str(caught.value).startswith(f"{path}, line {line}: expected {expected}, saw ")


@pytest.mark.parametrize("kept_bytes", range(1, 29))
def test_a_checkpoint_torn_at_any_byte_is_damage(tmp_path: Path, kept_bytes: int) -> None:
    path = _checkpoint(tmp_path, "0\n2\norders 0 17\norders 1 400\n"[:kept_bytes])

    with pytest.raises(RecordError):
        read_offset_checkpoint(path)


def test_leader_epochs_are_read_in_the_order_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "leader-epoch-checkpoint").write_text("0\n3\n0 0\n1 120\n4 121\n")

    assert read_leader_epochs(tmp_path) == [
        EpochStart(0, 0),
        EpochStart(1, 120),
        EpochStart(4, 121),
    ]


def test_a_damaged_epoch_file_names_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "leader-epoch-checkpoint"
    path.write_text("0\n2\n0 0\n1\n")

    with pytest.raises(RecordError, match=r"line 4: expected 'epoch start-offset', saw '1'"):
        read_leader_epochs(tmp_path)


def test_a_clean_stop_is_known_by_its_marker(tmp_path: Path) -> None:
    before = stopped_cleanly(tmp_path)
    (tmp_path / ".kafka_cleanshutdown").touch()

    assert (before, stopped_cleanly(tmp_path)) == (False, True)
