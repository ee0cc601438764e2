"""Kafka's primitive types, read from and written to bytes.

A version of an api is either flexible (KIP-482: compact lengths, tagged fields) or not; a Reader
or Writer is told once and spells strings, arrays and tags accordingly.
"""

from __future__ import annotations

import struct
import uuid
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import cache
from typing import TypeVar

from highwater.harness.errors import InfrastructureError

T = TypeVar("T")
Name = TypeVar("Name", bound=Hashable)

_INT8 = struct.Struct(">b")
_INT16 = struct.Struct(">h")
_INT32 = struct.Struct(">i")
_INT64 = struct.Struct(">q")
_VARINT_LIMIT_BITS = 35


@cache
def _int32s(length: int) -> struct.Struct:
    return struct.Struct(f">{length}i")


class DecodeError(InfrastructureError, ValueError):
    """The bytes are not what the api and version in their header promise."""


class Reader:
    """Reads forward over one frame; every method raises DecodeError when the bytes run out."""

    __slots__ = ("data", "flexible", "position")

    def __init__(self, data: bytes | bytearray | memoryview, position: int, flexible: bool) -> None:
        self.data = memoryview(data)
        self.position = position
        self.flexible = flexible

    def numbers(self, spelling: struct.Struct) -> tuple[int, ...]:
        """Several that stand in a row: an answer of thousands of partitions is read so."""
        try:
            values = spelling.unpack_from(self.data, self.position)
        except struct.error as error:
            raise DecodeError(f"frame ends at byte {len(self.data)}: {error}") from None
        self.position += spelling.size
        return values

    def _number(self, spelling: struct.Struct) -> int:
        return self.numbers(spelling)[0]

    def int8(self) -> int:
        return self._number(_INT8)

    def int16(self) -> int:
        return self._number(_INT16)

    def int32(self) -> int:
        return self._number(_INT32)

    def int64(self) -> int:
        return self._number(_INT64)

    def boolean(self) -> bool:
        return self.int8() != 0

    def unsigned_varint(self) -> int:
        value = 0
        for shift in range(0, _VARINT_LIMIT_BITS, 7):
            byte = self.int8() & 0xFF
            value |= (byte & 0x7F) << shift
            if not byte & 0x80:
                return value
        raise DecodeError(f"varint before byte {self.position} is longer than five bytes")

    def varint(self) -> int:
        raw = self.unsigned_varint()
        return (raw >> 1) ^ -(raw & 1)

    def take(self, length: int) -> memoryview:
        end = self.position + length
        if length < 0 or end > len(self.data):
            raise DecodeError(f"{length} bytes wanted at {self.position} of {len(self.data)}")
        taken = self.data[self.position : end]
        self.position = end
        return taken

    def _length(self, plain: Callable[[], int]) -> int:
        return self.unsigned_varint() - 1 if self.flexible else plain()

    def nullable_string(self) -> str | None:
        length = self._length(self.int16)
        if length < 0:
            return None
        try:
            return str(self.take(length), "utf-8")
        except UnicodeDecodeError as error:
            raise DecodeError(str(error)) from None

    def string(self) -> str:
        text = self.nullable_string()
        if text is None:
            raise DecodeError(f"null string before byte {self.position}")
        return text

    def nullable_bytes(self) -> memoryview | None:
        length = self._length(self.int32)
        return None if length < 0 else self.take(length)

    def uuid(self) -> uuid.UUID:
        return uuid.UUID(bytes=bytes(self.take(16)))

    def array(self, element: Callable[[], T]) -> tuple[T, ...]:
        """A null array reads as an empty one."""
        return tuple(self.nullable_array(element) or ())

    def int32s(self) -> tuple[int, ...]:
        """An array of these; a null array reads as an empty one."""
        length = self._length(self.int32)
        if length > len(self.data):
            raise DecodeError(f"array of {length} in a frame of {len(self.data)} bytes")
        return self.numbers(_int32s(length)) if length > 0 else ()

    def nullable_array(self, element: Callable[[], T]) -> list[T] | None:
        length = self._length(self.int32)
        if length > len(self.data):
            raise DecodeError(f"array of {length} in a frame of {len(self.data)} bytes")
        self._admit(length)
        return None if length < 0 else [element() for _ in range(length)]

    def tags(self) -> dict[int, memoryview]:
        """The tagged fields standing here, undecoded; none in a version that is not flexible."""
        if not self.flexible:
            return {}
        found = {}
        count = self.unsigned_varint()
        self._admit(count)
        for _ in range(count):
            tag = self.unsigned_varint()
            found[tag] = self.take(self.unsigned_varint())
        return found

    def within(self, data: memoryview) -> Reader:
        """One that reads a piece of what this one reads."""
        return Reader(data, 0, self.flexible)

    def _admit(self, count: int) -> None:
        """So many elements, or tagged fields, are read next."""


class BoundedReader(Reader):
    """Raises DecodeError before it reads more than `most` elements and tagged fields in all.

    What it takes to read a frame goes by their number: bytes and texts cost next to nothing.
    """

    __slots__ = ("_admitted", "_most")

    def __init__(
        self, data: bytes | bytearray | memoryview, position: int, flexible: bool, most: int
    ) -> None:
        super().__init__(data, position, flexible)
        self._most = most
        self._admitted = [0]  # shared with those that read pieces of it

    def within(self, data: memoryview) -> Reader:
        part = BoundedReader(data, 0, self.flexible, self._most)
        part._admitted = self._admitted
        return part

    def _admit(self, count: int) -> None:
        self._admitted[0] += max(0, count)
        if self._admitted[0] > self._most:
            raise DecodeError(f"it has more than {self._most} elements")


class Writer:
    """Collects one frame body."""

    __slots__ = ("buffer", "flexible")

    def __init__(self, flexible: bool) -> None:
        self.buffer = bytearray()
        self.flexible = flexible

    def numbers(self, spelling: struct.Struct, *values: int) -> None:
        """Several in a row."""
        self.buffer += spelling.pack(*values)

    def int8(self, value: int) -> None:
        self.buffer += _INT8.pack(value)

    def int16(self, value: int) -> None:
        self.buffer += _INT16.pack(value)

    def int32(self, value: int) -> None:
        self.buffer += _INT32.pack(value)

    def int64(self, value: int) -> None:
        self.buffer += _INT64.pack(value)

    def boolean(self, value: bool) -> None:
        self.int8(int(value))

    def unsigned_varint(self, value: int) -> None:
        while value > 0x7F:
            self.buffer.append(value & 0x7F | 0x80)
            value >>= 7
        self.buffer.append(value)

    def varint(self, value: int) -> None:
        self.unsigned_varint((value << 1) ^ (value >> 31) if value < 0 else value << 1)

    def _length(self, length: int, plain: Callable[[int], None]) -> None:
        if self.flexible:
            self.unsigned_varint(length + 1)
        else:
            plain(length)

    def nullable_string(self, text: str | None) -> None:
        if text is None:
            self._length(-1, self.int16)
            return
        raw = text.encode()
        self._length(len(raw), self.int16)
        self.buffer += raw

    def nullable_bytes(self, raw: bytes | None) -> None:
        self._length(-1 if raw is None else len(raw), self.int32)
        self.buffer += raw or b""

    def uuid(self, value: uuid.UUID) -> None:
        self.buffer += value.bytes

    def array(self, elements: Sequence[T] | None, element: Callable[[T], None]) -> None:
        self._length(-1 if elements is None else len(elements), self.int32)
        for one in elements or ():
            element(one)

    def tags(self, fields: dict[int, bytes] | None = None) -> None:
        """Writes tagged fields, or their absence; nothing in a version that is not flexible."""
        if not self.flexible:
            return
        fields = fields or {}
        self.unsigned_varint(len(fields))
        for tag in sorted(fields):
            self.unsigned_varint(tag)
            self.unsigned_varint(len(fields[tag]))
            self.buffer += fields[tag]


def grouped(elements: Iterable[T], name: Callable[[T], Name]) -> list[tuple[Name, list[T]]]:
    """A topic is spelled once for all its partitions, in the order of the first ones."""
    found: dict[Name, list[T]] = {}
    for each in elements:
        found.setdefault(name(each), []).append(each)
    return list(found.items())
