"""What clients are about to send, on the disk before it is sent.

The history is written every second. What a client sends and never comes to write, because it is
killed, somebody else may be handed: without a word of it that record would come from nowhere.
"""

from __future__ import annotations

import errno
import itertools
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from highwater.harness.errors import RecordError, in_words
from highwater.harness.model import Outcome
from highwater.harness.record.files import write_parquet
from highwater.harness.tables import history_table

Values = np.ndarray[tuple[int], np.dtype[np.int64]]

SUFFIX = ".journal"
HARNESS = "harness"  # the author of parts whose name has none
AT_ONCE = 1 << 24  # records, that an entry may have
LAST = 1 << 61  # value and time; the number of an operation is twice its value
COMMON = ("client", "action", "topic", "partition", "acks", "invoked_ns")
AT_CHOICE = ("transaction",)  # what only some sends have in common
OF_EACH = ("made_of", "partition")  # of which an entry may have a list, one for each record
LAST_PARTITION = (1 << 31) - 1


def prefix_of(author: str) -> str:
    """What the names of an author's parts begin with."""
    return "part-" if author == HARNESS else f"part-{author}-"


class Journal:
    """Of one author of a history; there is a file from the first entry on, until `close`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: int | None = None

    def intends(self, sends: Mapping[str, object], values: range, invoked_ns: int) -> None:
        """These records are about to be sent; `sends` is what all of them have in common.

        Raises OSError when that cannot be written; the journal is as it was then.
        """
        if self._file is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        entry = {**sends, "first": values.start, "end": values.stop, "invoked_ns": invoked_ns}
        line, end = json.dumps(entry).encode() + b"\n", os.fstat(self._file).st_size
        if os.write(self._file, line) < len(line):
            os.ftruncate(self._file, end)  # else the next entry would begin within this one
            raise OSError(errno.ENOSPC, "no room for an entry", str(self._path))

    def close(self) -> None:
        """Everything is in the history now."""
        if self._file is not None:
            os.close(self._file)
            self._file = None
            self._path.unlink(missing_ok=True)


def salvage(run: Path) -> None:
    """Put into the history what journals know and the history does not: sends of unknown outcome.

    For a run whose writers may have been killed; safe to call again, and while they live. Raises
    RecordError for a journal that cannot be read, or when its sends cannot be written.
    """
    for journal in sorted((run / "history").glob(f"*{SUFFIX}")):
        try:
            _salvage(journal)
        except FileNotFoundError:
            continue  # its writer has ended meanwhile, and has written it all
        except (OSError, ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
            raise RecordError(
                f"{journal} tells what was sent and is not in the history, and {in_words(error)}"
            ) from error


def _salvage(journal: Path) -> None:
    if not journal.is_file():
        raise ValueError("is no file")
    # Before the parts with a number: what those say of the same operations comes later, and counts.
    part = journal.with_name(f"{prefix_of(journal.name.removesuffix(SUFFIX))}-journal.parquet")
    written = _written(journal.parent, besides=part)
    tables = [table for entry in _entries(journal) if len(table := _intended(entry, written))]
    if tables:
        write_parquet(part, pa.concat_tables(tables))


def _entries(journal: Path) -> Iterator[Mapping[str, Any]]:
    *whole, _cut_short = journal.read_bytes().split(b"\n")
    for line in whole:
        entry = json.loads(line)
        _check(entry)
        yield entry


def _check(entry: Mapping[str, Any]) -> None:
    """Raises ValueError for what no client writes: it would put into the record what never was."""
    ranges = {
        "first": (0, LAST),
        "end": (entry["first"], min(LAST, entry["first"] + AT_ONCE)),
        "invoked_ns": (-LAST, LAST),
    }
    if not isinstance(entry["partition"], list):
        ranges["partition"] = (0, LAST_PARTITION)
    if entry.get("transaction") is not None:
        ranges["transaction"] = (0, LAST)
    for name, (least, most) in ranges.items():
        if type(entry[name]) is not int or not least <= entry[name] <= most:
            raise ValueError(
                f"has an entry with {name} {entry[name]!r:.40}, expected {least} to {most}"
            )
    for name in ("client", "topic"):
        if not isinstance(entry[name], str) or not entry[name]:
            raise TypeError(f"has an entry with {name} {entry[name]!r:.40}, expected a name")
    _check_each(entry)
    if entry["action"] != "send" or entry["acks"] not in {"all", "1", "0"}:
        raise ValueError(
            f"has an entry of a {entry['action']!r:.40} with acks={entry['acks']!r:.40}"
        )


def _check_each(entry: Mapping[str, Any]) -> None:
    """What is said of each record: of what it was made, of which some are made of nothing; and to
    which partition it goes, where not all go to one.
    """
    count = entry["end"] - entry["first"]
    for name, most in (("made_of", LAST), ("partition", LAST_PARTITION)):
        told = entry.get(name)
        if told is None or (name == "partition" and not isinstance(told, list)):
            continue
        if not isinstance(told, list) or len(told) != count:
            raise ValueError(f"has an entry with {name} {told!r:.40}, expected {count} values")
        for value in told:
            is_nothing = value is None and name == "made_of"
            if not is_nothing and (type(value) is not int or not 0 <= value <= most):
                raise ValueError(f"has an entry with {name} {value!r:.40}, expected 0 to {most}")


def _written(history: Path, besides: Path) -> Values:
    """In order, the identities of all records whose sends are in the history, as far as it can be
    read.
    """
    found = [np.empty(0, np.int64)]
    for part in sorted(history.glob("part-*.parquet")):
        if part != besides:
            with suppress(OSError, KeyError, ValueError, pa.ArrowException):  # the judge tells it
                sends = pq.ParquetFile(part).read(columns=["action", "value"])
                values = sends.filter(pc.equal(sends["action"], "send"))["value"]
                found.append(values.drop_null().cast(pa.int64()).to_numpy())
    return np.sort(np.concatenate(found))


def _intended(entry: Mapping[str, Any], written: Values) -> pa.Table:
    """By where its values would stand: an entry is one of thousands, and there are millions."""
    first, end = entry["first"], entry["end"]
    own = written[slice(*np.searchsorted(written, (first, end)))]
    is_left = np.ones(end - first, np.bool_)
    is_left[own - first] = False
    values = first + np.flatnonzero(is_left)
    columns: dict[str, Any] = {"op": 2 * values, "value": values}
    for name in OF_EACH:
        if isinstance(entry.get(name), list):
            columns[name] = list(itertools.compress(entry[name], is_left))
    unknown = dict.fromkeys(("offset", "checksum", "completed_ns", "error"))
    shared = {
        **unknown,
        **{name: entry[name] for name in COMMON},
        **{name: entry.get(name) for name in AT_CHOICE},
        "outcome": Outcome.INVOKED.value,
    }
    return history_table(columns, shared, len(values))
