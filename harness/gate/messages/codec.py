"""Reads and writes any message by its description, in any version that it has.

A message is a dict by Kafka's names of its fields: numbers, texts, bytes, UUIDs, lists, and dicts
for structs. Tagged fields that nobody describes stay as they are, under UNKNOWN.
"""

from __future__ import annotations

import struct
import uuid
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from highwater.harness.gate.messages.schemas import Field, Message
from highwater.harness.gate.primitives import DecodeError, Reader, Writer

Values = dict[str, Any]
Read = Callable[[Reader], Any]

UNKNOWN = "_tags"
_DOUBLE = struct.Struct(">d")
_UNSIGNED = {"uint16": (Reader.int16, Writer.int16, 16), "uint32": (Reader.int32, Writer.int32, 32)}


def _bytes(reader: Reader) -> bytes | None:
    taken = reader.nullable_bytes()
    return None if taken is None else bytes(taken)


_READ: dict[str, Read] = {
    "bool": Reader.boolean,
    "int8": Reader.int8,
    "int16": Reader.int16,
    "int32": Reader.int32,
    "int64": Reader.int64,
    "uuid": Reader.uuid,
    "string": Reader.nullable_string,
    "bytes": _bytes,
    "records": _bytes,
    "float64": lambda reader: _DOUBLE.unpack(reader.take(_DOUBLE.size))[0],
}
_WRITE: dict[str, Callable[[Writer, Any], None]] = {
    "bool": Writer.boolean,
    "int8": Writer.int8,
    "int16": Writer.int16,
    "int32": Writer.int32,
    "int64": Writer.int64,
    "uuid": Writer.uuid,
    "string": Writer.nullable_string,
    "bytes": Writer.nullable_bytes,
    "records": Writer.nullable_bytes,
}
_NOTHING = {"string": "", "bytes": b"", "records": None, "uuid": uuid.UUID(int=0), "bool": False}


def read(message: Message, version: int, reader: Reader) -> Values:
    """The message that stands there. Raises DecodeError."""
    found: Values = _struct(message.fields, version)(reader)
    return found


def write(message: Message, version: int, values: Mapping[str, Any]) -> bytes:
    """What is not among `values` has its default. Raises KeyError for what is no field of it."""
    writer = Writer(version in message.flexible)
    _write_struct(message.fields, version, values, writer)
    return bytes(writer.buffer)


def default(field: Field) -> Any:
    """As Kafka has it where nothing is said."""
    if field.is_array:
        return None if field.default == "null" else []
    if field.default == "null":
        return None
    if field.fields:
        return {}
    if field.default in {None, ""}:
        return _NOTHING.get(field.kind, 0)
    if field.kind in {"string", "bool"}:
        return field.default if field.kind == "string" else str(field.default) == "true"
    return float(field.default) if field.kind == "float64" else int(str(field.default), 0)


def _struct(fields: Sequence[Field], version: int) -> Read:
    """What reads one struct after the other: what is in this version is looked up once."""
    present = [each for each in fields if version in each.versions]
    plain = [(each.name, _value(each, version)) for each in present if version not in each.tagged]
    tagged = {
        each.tag: (each.name, _value(each, version)) for each in present if version in each.tagged
    }

    def read_struct(reader: Reader) -> Values:
        values = {name: value(reader) for name, value in plain}
        for tag, raw in reader.tags().items():
            if tag in tagged:
                name, value = tagged[tag]
                values[name] = value(reader.within(raw))
            else:
                values.setdefault(UNKNOWN, {})[tag] = bytes(raw)
        return values

    return read_struct


def _value(field: Field, version: int) -> Read:
    may_be_null, one = version in field.nullable, _one(field, version)
    if field.is_array:
        return _array(field, one, may_be_null=may_be_null)
    if may_be_null:
        return _nullable(one) if field.fields else one
    return lambda reader: _there(field, one(reader))


def _array(field: Field, one: Read, *, may_be_null: bool) -> Read:
    def read_array(reader: Reader) -> Any:
        found = reader.nullable_array(lambda: _there(field, one(reader)))
        return found if may_be_null else _there(field, found)

    return read_array


def _nullable(struct_: Read) -> Read:
    return lambda reader: None if reader.int8() < 0 else struct_(reader)


def _there(field: Field, found: Any) -> Any:
    if found is None:
        raise DecodeError(f"field {field.name} is null, which it may not be")
    return found


def _one(field: Field, version: int) -> Read:
    """What reads a value that is there, or an element."""
    if field.fields:
        return _struct(field.fields, version)
    if field.kind in _UNSIGNED:
        signed, _, bits = _UNSIGNED[field.kind]
        return lambda reader: signed(reader) & ((1 << bits) - 1)
    return _READ.get(field.kind) or partial(_unknown, field)


def _unknown(field: Field, _reader: Reader) -> Any:
    raise DecodeError(f"field {field.name}: no type {field.kind!r} is known")


def _write_struct(
    fields: Sequence[Field], version: int, values: Mapping[str, Any], writer: Writer
) -> None:
    strange = set(values) - {each.name for each in fields} - {UNKNOWN}
    if strange:
        raise KeyError(f"no fields {sorted(strange)} in {[each.name for each in fields]}")
    tags: dict[int, bytes] = dict(values.get(UNKNOWN, {}))
    for field in fields:
        if version not in field.versions:
            continue
        value = values.get(field.name, default(field))
        if version not in field.tagged:
            _write(field, version, value, writer)
        elif not _is_default(field, version, value):
            inner = Writer(writer.flexible)
            _write(field, version, value, inner)
            tags[field.tag] = bytes(inner.buffer)
    writer.tags(tags)


def _is_default(field: Field, version: int, value: Any) -> bool:
    """Kafka sends no tagged field that says what is understood without it."""
    if not field.fields or field.is_array or not isinstance(value, Mapping):
        return bool(value == default(field))
    within = [each for each in field.fields if version in each.versions and each.name in value]
    return not value.get(UNKNOWN) and all(
        _is_default(each, version, value[each.name]) for each in within
    )


def _write(field: Field, version: int, value: Any, writer: Writer) -> None:
    if field.is_array:
        writer.array(value, lambda one: _write_one(field, version, one, writer))
        return
    if field.fields and version in field.nullable:
        writer.int8(-1 if value is None else 1)
        if value is None:
            return
    _write_one(field, version, value, writer)


def _write_one(field: Field, version: int, value: Any, writer: Writer) -> None:
    if field.fields:
        _write_struct(field.fields, version, value, writer)
    elif field.kind == "float64":
        writer.buffer += _DOUBLE.pack(value)
    elif field.kind in _UNSIGNED:
        _, signed, bits = _UNSIGNED[field.kind]
        signed(writer, value - (1 << bits) if value >> (bits - 1) else value)
    else:
        _WRITE[field.kind](writer, value)
