"""Atomic writes: a reader sees the old file or the new one, never half of either."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from highwater.harness.record.place import PARTIAL, Place


def write_bytes(path: Place, content: bytes) -> None:
    partial = path.with_name(_partial(path.name))
    partial.write_bytes(content)
    partial.replace(path)


def write_text(path: Place, text: str) -> None:
    write_bytes(path, text.encode())


def write_json(path: Place, content: Any) -> None:
    write_text(path, json_text(content))


def json_text(content: Any) -> str:
    return json.dumps(content, indent=2, sort_keys=False) + "\n"


WITHOUT_LINKS = {
    errno.EPERM,
    errno.ENOTSUP,
    errno.EOPNOTSUPP,
    errno.ENOSYS,
}  # of file systems that have none


def write_first(path: Path, text: str) -> None:
    """Nothing where it is there already, from whoever else came a moment earlier."""
    partial = path.with_name(_partial(path.name))
    try:
        partial.write_text(text)
        os.link(partial, path)
    except FileExistsError:
        return
    except OSError as error:
        if error.errno not in WITHOUT_LINKS:
            raise
        if not path.exists():
            partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def _partial(name: str) -> str:
    return f".{name}.{os.getpid()}{PARTIAL}"


def write_parquet(path: Path, table: pa.Table) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(_partial(path.name))
    # Numbers hardly repeat, but differ little from one row to the next.
    words = [field.name for field in table.schema if pa.types.is_string(field.type)]
    numbers = [field.name for field in table.schema if pa.types.is_integer(field.type)]
    pq.write_table(
        table,
        partial,
        compression="zstd",
        compression_level=1,
        use_dictionary=words,
        write_statistics=numbers,  # of words there are few, and every part has them all
        column_encoding=dict.fromkeys(numbers, "DELTA_BINARY_PACKED"),
    )
    partial.replace(path)
