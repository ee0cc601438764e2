"""Reads the small text files in which a broker keeps its offsets and epochs across restarts.

Brokers replace these files by an atomic rename, so a reader never sees half of one; a torn file
is damage and says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from highwater.harness.errors import RecordError

HIGH_WATERMARK_CHECKPOINT = "replication-offset-checkpoint"
LEADER_EPOCH_CHECKPOINT = "leader-epoch-checkpoint"
CLEAN_SHUTDOWN_MARKER = ".kafka_cleanshutdown"
_VERSION = "0"


@dataclass(frozen=True, slots=True, order=True)
class EpochStart:
    epoch: int
    start_offset: int


def read_offset_checkpoint(path: Path) -> dict[tuple[str, int], int]:
    """Offsets by topic and partition, from any of the offset checkpoints of a log directory.

    These are `replication-offset-checkpoint`, `recovery-point-offset-checkpoint` and
    `log-start-offset-checkpoint`. Empty when the file is missing, or new and still without a
    line. Raises RecordError for a damaged file.
    """
    offsets: dict[tuple[str, int], int] = {}
    for number, line in _entries(path):
        topic, partition, offset = _split(path, number, line, "topic partition offset")
        place = (topic, _integer(path, number, partition))
        if place in offsets:
            raise _damaged(path, number, "each partition once", line)
        offsets[place] = _integer(path, number, offset)
    return offsets


def read_leader_epochs(partition_dir: Path) -> list[EpochStart]:
    """The leader epochs of a replica, oldest first; empty before 0.11 (KIP-101).

    Raises RecordError for a damaged file.
    """
    path = partition_dir / LEADER_EPOCH_CHECKPOINT
    starts = []
    for number, line in _entries(path):
        epoch, offset = _split(path, number, line, "epoch start-offset")
        starts.append(EpochStart(_integer(path, number, epoch), _integer(path, number, offset)))
    return starts


def stopped_cleanly(log_dir: Path) -> bool:
    """Whether the broker left its clean-shutdown marker, so that its next start skips recovery.

    Meaningful only while the broker is stopped: the start removes the marker.
    """
    return (log_dir / CLEAN_SHUTDOWN_MARKER).exists()


def _entries(path: Path) -> list[tuple[int, str]]:
    """The entry lines with their line numbers, after checking version and count."""
    lines = _lines(path)
    if not lines:
        return []
    if lines[0].strip() != _VERSION:
        raise _damaged(path, 1, f"version {_VERSION}", lines[0])
    if len(lines) == 1:
        raise _damaged(path, 2, "the number of entries", "end of file")
    count = _integer(path, 2, lines[1])
    entries = list(enumerate(lines[2:], start=3))
    if len(entries) < count:
        seen = f"end of file after {len(entries)}"
        raise _damaged(path, len(lines) + 1, f"{count} entries", seen)
    if len(entries) > count:
        raise _damaged(path, count + 3, f"end of file after {count} entries", entries[count][1])
    return entries


def _lines(path: Path) -> list[str]:
    try:
        text = path.read_bytes().decode("utf-8", "backslashreplace")
    except FileNotFoundError:
        return []
    lines = text.split("\n")
    if lines.pop():  # without a line end the last number may have lost digits
        raise _damaged(path, len(lines) + 1, "a line end", text[text.rfind("\n") + 1 :])
    return lines


def _split(path: Path, number: int, line: str, shape: str) -> list[str]:
    fields = line.split()
    if len(fields) != len(shape.split()):
        raise _damaged(path, number, f"'{shape}'", line)
    return fields


def _integer(path: Path, number: int, text: str) -> int:
    try:
        return int(text)
    except ValueError as error:
        raise _damaged(path, number, "an integer", text) from error


def _damaged(path: Path, number: int, expected: str, seen: str) -> RecordError:
    return RecordError(f"{path}, line {number}: expected {expected}, saw {seen!r}")
