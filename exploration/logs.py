"""What the log of a replica has, as it stands in its files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from highwater.exploration.transacted import Readable
from highwater.exploration.views import Log
from highwater.harness.probes.records import Stretch, stretches_of
from highwater.harness.probes.segments import log_entries
from highwater.harness.workloads import payload

ValueOf = Callable[[bytes | None, bytes | None], int | None]  # raises ValueError for damage


class ReplicaLog:
    """The records of one replica, read again when a file has changed."""

    def __init__(self, value_of: ValueOf) -> None:
        """What a record is called is read off its key and its value."""
        self._value_of = value_of
        self._stamp: tuple[int, int] | None = None
        self.kept: Log = ()
        self.visible: frozenset[int] = frozenset()  # to readers of committed records
        self.problems: list[str] = []  # with what is in records that are called nothing

    def read(self, directory: Path) -> Log:
        """What is in its first segment, without markers; nothing where there is none."""
        try:
            told = (directory / f"{0:020d}.log").stat()
            stamp = (told.st_size, told.st_mtime_ns)
            if stamp != self._stamp:
                self._read(directory)
                self._stamp = stamp
        except OSError:
            return ()
        return self.kept

    def _read(self, directory: Path) -> None:
        found, readable = [], Readable()
        self.problems = []
        for entry in log_entries(directory):
            for stretch in stretches_of(entry):
                pairs = [] if stretch.batch.is_control else self._values(stretch)
                readable.take(stretch, [value for _, value in pairs])
                epoch = stretch.batch.leader_epoch
                found += [(offset, value, epoch) for offset, value in pairs]
        self.kept, self.visible = tuple(found), frozenset(readable.visible)

    def _values(self, stretch: Stretch) -> list[tuple[int, int | None]]:
        alike = stretch.alike
        if alike is not None:
            rows = zip(alike.offsets.tolist(), alike.keys, alike.values, strict=True)
            return [(offset, self._value(offset, key, value)) for offset, key, value in rows]
        records = stretch.records
        return [(each.offset, self._value(each.offset, each.key, each.value)) for each in records]

    def _value(self, offset: int, key: bytes | None, value: bytes | None) -> int | None:
        try:
            return self._value_of(key, value)
        except ValueError as error:
            self.problems.append(f"the record at offset {offset} cannot be read: {error}")
            return None


def of_payload(_key: bytes | None, value: bytes | None) -> int | None:
    """What a record of the harness's own is called."""
    return payload.examine(value or b"")[0]
