"""Damage to a record that has been written: to its files, columns, and single values."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from tests.model.choices import Choices

from highwater.harness.model import Answer
from highwater.harness.tables import TABLES

# A null value is an anomaly by itself, in a poll; in a send the judge still takes what is read for
# a value that nobody sent.
WITHOUT_VALUES = {"corrupt-value"}

Damage = Callable[[Choices, Path], str]

HARMLESS = "harmless"  # the answers must stay as they were
FATAL = "fatal"  # each answer stays, or becomes UNKNOWN
LEGAL = "legal"  # less is known than before; nothing may be accused for it
UNTRUE = "untrue"  # a null that says that there is none: of such a record anything may be said
SAYS_NONE = {"transactional_id of clients"}


def a_part(choices: Choices, run: Path) -> Path:
    return choices.pick(sorted(run.glob("*/part-*.parquet")))


def _rewritten(part: Path, change: Callable[[pa.Table], pa.Table]) -> None:
    pq.write_table(change(pq.ParquetFile(part).read()), part)


def _a_column(choices: Choices, part: Path) -> tuple[str, pa.Field]:
    field = choices.pick(list(TABLES[part.parent.name]))
    return f"{field.name} of {part.parent.name}", field


def null_values(choices: Choices, run: Path) -> str:
    """One value, or all, of a column that may not be null, or of one that may."""
    part = a_part(choices, run)
    name, field = _a_column(choices, part)
    every = choices.happens(20)

    def change(table: pa.Table) -> pa.Table:
        values = table[field.name].to_pylist()
        gone = range(len(values)) if every else [choices.below(len(values))]
        for at in gone:
            values[at] = None
        place = table.column_names.index(field.name)
        return table.set_column(place, field.name, pa.array(values, field.type))

    _rewritten(part, change)
    kind = UNTRUE if name in SAYS_NONE else LEGAL if field.nullable else FATAL
    return f"{kind}: {'all' if every else 'one'} null in {name}"


def another_type(choices: Choices, run: Path) -> str:
    part = a_part(choices, run)
    name, field = _a_column(choices, part)
    kind = choices.pick((pa.float64(), pa.string(), pa.binary(), pa.list_(pa.int64()), pa.date32()))
    if kind == field.type:
        kind = pa.int64()

    def change(table: pa.Table) -> pa.Table:
        place = table.column_names.index(field.name)
        return table.set_column(place, field.name, pa.nulls(len(table)).cast(kind))

    _rewritten(part, change)
    return f"{FATAL}: {name} is {kind}"


def another_width(choices: Choices, run: Path) -> str:
    """Integers that need no more room than this, and texts in a dictionary."""
    part = a_part(choices, run)
    name, field = _a_column(choices, part)

    def change(table: pa.Table) -> pa.Table:
        column = table[field.name]
        if pa.types.is_integer(field.type):
            column = column.cast(pa.int64())
        elif pa.types.is_string(field.type):
            kinds = (pa.dictionary(pa.int32(), pa.string()), pa.large_string())
            column = column.cast(choices.pick(kinds))
        place = table.column_names.index(field.name)
        return table.set_column(place, field.name, column)

    _rewritten(part, change)
    return f"{HARMLESS}: {name} is wider"


def drop_column(choices: Choices, run: Path) -> str:
    part = a_part(choices, run)
    name, field = _a_column(choices, part)
    _rewritten(part, lambda table: table.drop_columns([field.name]))
    return f"{FATAL}: {name} is missing"


def double_column(choices: Choices, run: Path) -> str:
    part = a_part(choices, run)
    name, field = _a_column(choices, part)

    def change(table: pa.Table) -> pa.Table:
        arrays = [*table.columns, table[field.name]]
        return pa.Table.from_arrays(arrays, names=[*table.column_names, field.name])

    _rewritten(part, change)
    return f"{FATAL}: {name} is there twice"


def cut(choices: Choices, run: Path) -> str:
    part = a_part(choices, run)
    content = part.read_bytes()
    kept = choices.below(len(content))
    part.write_bytes(content[:kept])
    return f"{FATAL}: {part.parent.name} is cut after {kept} bytes"


def zero(choices: Choices, run: Path) -> str:
    """Bytes of a data page, as a disk returns them that has lost a sector."""
    part = a_part(choices, run)
    content = bytearray(part.read_bytes())
    start = 4 + choices.below(len(content) // 2)
    size = choices.between(8, 120)
    content[start : start + size] = bytes(len(content[start : start + size]))
    part.write_bytes(bytes(content))
    return f"{FATAL}: {size} bytes of {part.parent.name} are zero from {start} on"


def swap(choices: Choices, run: Path) -> str:
    """Two tables' files stand in one another's place."""
    one, other = a_part(choices, run), a_part(choices, run)
    first, second = one.read_bytes(), other.read_bytes()
    one.write_bytes(second)
    other.write_bytes(first)
    kind = HARMLESS if one == other else FATAL
    return f"{kind}: {one.parent.name} and {other.parent.name} are exchanged"


def copy(choices: Choices, run: Path) -> str:
    part = a_part(choices, run)
    shutil.copy(part, part.with_name("part-000007.parquet"))
    return f"{FATAL}: {part.parent.name} is there twice"


def not_utf8(choices: Choices, run: Path) -> str:
    part = a_part(choices, run)
    texts = [field for field in TABLES[part.parent.name] if pa.types.is_string(field.type)]
    if not texts:
        return f"{HARMLESS}: nothing"
    field = choices.pick(texts)

    def change(table: pa.Table) -> pa.Table:
        raw = pa.array([b"t\xff\xfe"] * len(table), pa.binary())
        bad = pa.StringArray.from_buffers(len(table), raw.buffers()[1], raw.buffers()[2])
        return table.set_column(table.column_names.index(field.name), field.name, bad)

    _rewritten(part, change)
    return f"{FATAL}: {field.name} of {part.parent.name} is not UTF-8"


def empty(choices: Choices, run: Path) -> str:
    part = a_part(choices, run)
    part.write_bytes(b"")
    return f"{FATAL}: {part.parent.name} is empty"


def a_directory(choices: Choices, run: Path) -> str:
    part = a_part(choices, run)
    part.unlink()
    part.mkdir()
    return f"{FATAL}: {part.parent.name} is a directory"


IDENTITIES = (
    b'{"schema": 2, "topic_settings": [], "played": 7, "scenario": {"a": null}}',
    b'{"schema": 2, "topic_settings": {"cleanup.policy": 3, "min.insync.replicas": "many"}}',
    b'{"schema": 2, "topic_settings": null, "tool": "\\ud800"}',
    b'{"schema": 1.0}',
    b'{"schema": "1"}',
    b"[]",
    b"",
    b'\xef\xbb\xbf{"schema": 2}',
    b'{"schema": 1, "tool": "\xff"}',
)


def odd_identity(choices: Choices, run: Path) -> str:
    content = choices.pick(IDENTITIES)
    (run / "run.json").write_bytes(content)
    return f"{FATAL}: run.json is {content!r}"


EVENTS = (
    b'{"at_ns": 1, "kind": "step", "text": "\xff\xfe"}\n[1,2]\n{}\n',
    b'{"at_ns": null, "kind": 7}\n{"kind": "fault", "phase": []}\n{"ts": "12:00"}\n',
    b"\x00\x00\x00",
    b'{"at_ns": 1e400, "kind": "fault", "phase": "opened", "text": null}\nnull\n"x"\n',
    b'{"at_ns": "1", "kind": "fault", "phase": "opened", "id": {}, "text": "cut"}\n',
)


def odd_events(choices: Choices, run: Path) -> str:
    content = choices.pick(EVENTS)
    (run / "events.jsonl").write_bytes(content)
    return f"{HARMLESS}: events.jsonl is {content!r}"


DAMAGES: tuple[Damage, ...] = (
    null_values,
    null_values,
    null_values,
    another_type,
    another_width,
    drop_column,
    double_column,
    cut,
    zero,
    swap,
    copy,
    not_utf8,
    empty,
    a_directory,
    odd_identity,
    odd_events,
)


def damaged(choices: Choices, run: Path) -> str:
    """Do one thing to a record; returns how grave it is, and what it is."""
    if not any(run.glob("*/part-*.parquet")):
        return f"{HARMLESS}: nothing happened in this story, so there is nothing to damage"
    return choices.pick(DAMAGES)(choices, run)


def worse(told: str, before: dict[str, Answer], after: dict[str, Answer]) -> dict[str, str]:
    """The claims whose answers may not follow from that damage."""
    kind = told.partition(":")[0]
    if kind == UNTRUE:
        return {}
    found = {}
    for claim, said in after.items():
        allowed = {before[claim]}
        if kind != HARMLESS:
            allowed.add(Answer.UNKNOWN)
        if kind == LEGAL:
            allowed.add(Answer.HELD)
            if "value of history" in told and claim in WITHOUT_VALUES:
                allowed.add(Answer.VIOLATED)
        if said not in allowed:
            found[claim] = f"{told}; before: {before[claim]}; after: {said}"
    return found
