"""What clients are about to send, on the disk before it is sent.

The history is written every second. What a client sends and never comes to write, because it is
killed, somebody else may be handed: without a word of it that record would come from nowhere.
"""

from __future__ import annotations

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
from highwater.harness.tables import HISTORY, history_table

Values = np.ndarray[tuple[int], np.dtype[np.int64]]

SUFFIX = ".journal"
HARNESS = "harness"  # the author of parts whose name has none
AT_ONCE = 1 << 24  # records, that an entry may have


def prefix_of(author: str) -> str:
    """What the names of an author's parts begin with."""
    return "part-" if author == HARNESS else f"part-{author}-"


class Journal:
    """Of one author of a history; there is a file from the first entry on, until `close`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: int | None = None

    def intends(self, sends: Mapping[str, object], values: range, invoked_ns: int) -> None:
        """These records are about to be sent; `sends` is what all of them have in common."""
        if self._file is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        entry = {**sends, "first": values.start, "end": values.stop, "invoked_ns": invoked_ns}
        os.write(self._file, json.dumps(entry).encode() + b"\n")

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
    # Before the parts with a number: what those say of the same operations comes later, and counts.
    part = journal.with_name(f"{prefix_of(journal.name.removesuffix(SUFFIX))}-journal.parquet")
    written = _written(journal.parent, besides=part)
    tables = [table for entry in _entries(journal) if len(table := _intended(entry, written))]
    if tables:
        write_parquet(part, pa.concat_tables(tables))


def _entries(journal: Path) -> Iterator[Mapping[str, Any]]:
    *whole, _cut_short = journal.read_bytes().split(b"\n")
    for line in whole:
        yield json.loads(line)


def _written(history: Path, besides: Path) -> Values:
    """The identities of all records whose sends are in the history, as far as it can be read."""
    found = [np.empty(0, np.int64)]
    for part in sorted(history.glob("part-*.parquet")):
        if part != besides:
            with suppress(OSError, KeyError, ValueError, pa.ArrowException):  # the judge tells it
                sends = pq.ParquetFile(part).read(columns=["action", "value"])
                values = sends.filter(pc.equal(sends["action"], "send"))["value"]
                found.append(values.drop_null().to_numpy())
    return np.concatenate(found)


def _intended(entry: Mapping[str, Any], written: Values) -> pa.Table:
    if entry["end"] - entry["first"] > AT_ONCE:
        raise ValueError(f"has an entry of {entry['end'] - entry['first']} records")
    values = np.arange(entry["first"], entry["end"], dtype=np.int64)
    values = values[~np.isin(values, written)]
    unknown = dict.fromkeys(("offset", "checksum", "completed_ns", "error"))
    shared = {
        **unknown,
        **{name: entry[name] for name in HISTORY.names if name in entry},
        "outcome": Outcome.INVOKED.value,
    }
    return history_table({"op": 2 * values, "value": values}, shared, len(values))
