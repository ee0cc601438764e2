"""How the records of a topic look: where their identity stands, and what is around it.

A record that a load sends is a payload of ours (see `payload`), which no service of a user's can
read. With a pattern it is what that service reads, and the payload is one text in it: the record's
key, a header of it, or a field of a JSON object. Whoever sends to a topic, whoever reads it, and
whoever looks into the segments of its replicas goes by the one pattern that it has.
"""

from __future__ import annotations

import json
import uuid
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from confluent_kafka import Message

from highwater.harness.errors import UsageError
from highwater.harness.versions.catalogue import Kafka
from highwater.harness.workloads.examining import Examined, examine_all
from highwater.harness.workloads.payload import SMALLEST_BYTES, examine

VALUE, KEY, HEADER, JSON = "value", "key", "header", "json"
LARGEST_BYTES = 100_000  # of what is around an identity
Headers = Mapping[str, bytes]
Patterns = Mapping[str, Mapping[str, Any] | None]  # by topics, as `Pattern.described` has them


@dataclass(frozen=True, slots=True)
class Pattern:
    """Of a record the identity is its "key", a header ("header:NAME", from 0.11 on), or a field of
    the JSON object that is its value ("json:a.b").

    `sample` is what records have besides: the object, or the text that is the value.
    """

    identity: str
    sample: Mapping[str, Any] | str = ""

    def require(self, *, has_headers: bool) -> None:
        """Raises UsageError for what no record can look like."""
        kind, name = self.parts
        named = kind == KEY and self.identity == KEY
        if not (named or (kind == HEADER and name) or (kind == JSON and all(name.split(".")))):
            raise UsageError(
                "expected a Pattern with an identity of 'key', 'header:NAME' or 'json:a.b', saw "
                f"{self.identity!r:.120}; without a pattern it is the whole value"
            )
        if not _is_sendable(name):
            raise UsageError(f"expected a name in UTF-8 and without zeros, saw {name!r:.120}")
        if kind == HEADER and not has_headers:
            raise UsageError("expected no header of records before Kafka 0.11, which have none")
        if not isinstance(self.sample, Mapping | str):
            raise UsageError(
                f"expected a sample that is an object or a text, saw {self.sample!r:.120}"
            )
        if kind == JSON and not isinstance(self.sample or {}, Mapping):
            raise UsageError(f"expected a sample that is an object, saw {self.sample!r:.120}")
        if (size := len(b"".join(around(self)))) > LARGEST_BYTES:
            raise UsageError(f"expected a sample of up to {LARGEST_BYTES:,} bytes, saw {size:,}")

    @property
    def parts(self) -> tuple[str, str]:
        """Which kind of identity it is, and the name of what it stands in."""
        if not isinstance(self.identity, str):
            return "", ""
        kind, _, name = self.identity.partition(":")
        return kind, name

    def described(self) -> dict[str, Any]:
        """As adapters are told: what becomes of the sample later changes nothing."""
        sample = self.sample if isinstance(self.sample, str) else json.loads(_dumped(self.sample))
        return {"identity": self.identity, "sample": sample}


def _is_sendable(name: str) -> bool:
    """What librdkafka takes for the name of a header: it ends the process for other ones."""
    try:
        return b"\0" not in name.encode()
    except UnicodeEncodeError:
        return False


def require_pattern(pattern: object, kafka: Kafka) -> None:
    """Raises UsageError for what is none, and what none can be on these brokers."""
    if pattern is not None and not isinstance(pattern, Pattern):
        raise UsageError(f"expected a Pattern of records, or None, saw {pattern!r:.120}")
    if pattern is not None:
        pattern.require(has_headers=kafka.has_record_batches)


def require_no_keys(pattern: Pattern | None, keys: int) -> None:
    """Raises UsageError where records are to have keys, and their keys are their identities."""
    if keys and pattern is not None and pattern.parts[0] == KEY:
        raise UsageError(f"the key is the identity of a record there: expected keys=0, saw {keys}")


class Marking:
    """Finds the marks of records of one pattern: payloads of ours, each the identity of one."""

    def __init__(self, pattern: Pattern) -> None:
        self.pattern = pattern
        self.kind, self.name = pattern.parts
        self.before, self.after = around(pattern)
        self._path = self.name.split(".")

    def mark(self, key: bytes | None, value: bytes | None, headers: Headers) -> bytes:
        """Of a record; empty where it has none, as one without a value, which deletes others."""
        if value is None:
            return b""
        match self.kind:
            case "key":
                return key or b""
            case "header":
                return headers.get(self.name) or b""
        return self._field(value)

    def mark_of(self, message: Message) -> bytes:
        """The same of what a client library hands over."""
        headers = headers_of(message) if self.kind == HEADER else {}
        return self.mark(message.key(), message.value(), headers)

    def _field(self, value: bytes) -> bytes:
        """Where the value is as it was sent there is nothing to be parsed."""
        end = len(value) - len(self.after)
        if end >= len(self.before) and value.startswith(self.before) and value.endswith(self.after):
            found = value[len(self.before) : end]
            if len(found) >= SMALLEST_BYTES and not {*b'"\\'} & {*found}:
                return found
        told = field_of(value, self._path)
        return told.encode(errors="backslashreplace") if isinstance(told, str) else b""


def headers_of(message: Message) -> Headers:
    """The last of each name."""
    told = message.headers() or ()
    each = told.items() if isinstance(told, Mapping) else told
    return {name: _bytes(content) for name, content in each}


def _bytes(content: str | bytes | None) -> bytes:
    return content.encode() if isinstance(content, str) else content or b""


def field_of(value: bytes, path: Sequence[str]) -> object:
    """A field of a JSON object, None where there is none."""
    try:
        found: Any = json.loads(value)
    except (ValueError, RecursionError):
        return None
    for name in path:
        if not isinstance(found, Mapping) or name not in found:
            return None
        found = found[name]
    return found


def examined(marks: Sequence[bytes], contents: Sequence[bytes]) -> Examined:
    """The identities that the marks are, and the CRC-32 of whole values."""
    checksums = np.fromiter(map(zlib.crc32, contents), np.int64, len(contents))
    return examine_all(marks)._replace(checksums=checksums)


def examined_one(mark: bytes, content: bytes) -> tuple[int | None, int]:
    """The same of one record."""
    return examine(mark)[0], zlib.crc32(content)


def around(pattern: Pattern) -> tuple[bytes, bytes]:
    """What comes before and after the mark in a value; without a mark in it, all comes before.

    Raises UsageError for a sample that is no JSON, or no UTF-8, or has no place for the mark.
    """
    try:
        return _around(pattern)
    except (UnicodeEncodeError, RecursionError) as error:
        raise UsageError(f"expected a sample that can be UTF-8: {error}") from None


def _around(pattern: Pattern) -> tuple[bytes, bytes]:
    kind, name = pattern.parts
    if isinstance(pattern.sample, str) and kind != JSON:
        return pattern.sample.encode(), b""
    if kind != JSON:
        return _dumped(pattern.sample).encode(), b""
    mark = uuid.uuid4().hex  # nothing else in it is called so
    before, _, after = _dumped(_with_field(pattern.sample or {}, name.split("."), mark)).partition(
        mark
    )
    return before.encode(), after.encode()


def _with_field(sample: object, path: Sequence[str], text: str) -> Mapping[str, Any]:
    if not isinstance(sample, Mapping):
        raise UsageError(f"expected an object around the field {path[0]!r}, saw {sample!r:.120}")
    rest = _with_field(sample.get(path[0], {}), path[1:], text) if path[1:] else text
    return {**sample, path[0]: rest}


def _dumped(sample: object) -> str:
    try:
        told = dict(sample) if isinstance(sample, Mapping) else sample
        return json.dumps(told, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(
            f"expected a sample that can be JSON, saw one that cannot: {error}"
        ) from None


class Markings:
    """Of topics by their names in Kafka, as `Pattern.described` has it; which may be given more."""

    def __init__(self, patterns: Patterns) -> None:
        self._patterns = patterns
        self._made: dict[str, tuple[object, Marking]] = {}

    def __bool__(self) -> bool:
        return bool(self._patterns)

    def get(self, topic: str) -> Marking | None:
        """None where its records are ours as a whole. A topic that is created again has another."""
        told = self._patterns.get(topic)
        if told is None:
            return None
        if topic not in self._made or self._made[topic][0] != told:
            self._made[topic] = told, Marking(Pattern(**told))
        return self._made[topic][1]
