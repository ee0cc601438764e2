"""The features of a KRaft cluster (KIP-584): the levels that a broker knows, and the final ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from highwater.harness.gate.headers import API_VERSIONS, UPDATE_FEATURES
from highwater.harness.gate.primitives import Reader, Writer
from highwater.harness.probes.wire import AnswerError, Wire

METADATA_VERSION = "metadata.version"
API_VERSIONS_VERSION = 3
UPDATE_FEATURES_VERSION = 1
SUPPORTED, FINAL = 0, 2  # tags of an answer to ApiVersions
UPGRADE = 1
TIMEOUT_MS = 10_000


@dataclass(frozen=True, slots=True)
class Features:
    """As one broker tells them."""

    supported: Mapping[str, int]  # the highest level that it knows
    final: Mapping[str, int]


def features_by(wire: Wire) -> Features:
    """Raises OSError when the broker does not answer."""
    body = Writer(flexible=True)
    body.nullable_string("highwater")
    body.nullable_string("0")
    body.tags()
    answer = wire.ask(API_VERSIONS, API_VERSIONS_VERSION, bytes(body.buffer))
    answer.int16()
    answer.array(partial(_api, answer))
    answer.int32()
    told = answer.tags()
    levels = {tag: _levels(told[tag]) for tag in (SUPPORTED, FINAL) if tag in told}
    supported = {name: highest for name, _, highest in levels.get(SUPPORTED, ())}
    return Features(supported, {name: highest for name, highest, _ in levels.get(FINAL, ())})


def raise_feature(wire: Wire, name: str, level: int) -> None:
    """Ask for a level to be final from now on; raises AnswerError for what is refused."""
    body = Writer(flexible=True)
    body.int32(TIMEOUT_MS)
    body.array(((name, level),), lambda each: _write_update(body, *each))
    body.boolean(False)
    body.tags()
    answer = wire.ask(UPDATE_FEATURES, UPDATE_FEATURES_VERSION, bytes(body.buffer))
    answer.int32()
    code, reason = answer.int16(), answer.nullable_string()
    refused = answer.array(lambda: _result(answer))
    for each, why in ((code, reason), *refused):
        if each:
            raise AnswerError(f"raising {name} to {level}", each, why or "")


def _api(answer: Reader) -> None:
    for _ in range(3):  # key, lowest and highest version
        answer.int16()
    answer.tags()


def _levels(told: memoryview) -> tuple[tuple[str, int, int], ...]:
    reader = Reader(told, 0, True)

    def level() -> tuple[str, int, int]:
        found = reader.string(), reader.int16(), reader.int16()
        reader.tags()
        return found

    return reader.array(level)


def _result(answer: Reader) -> tuple[int, str | None]:
    answer.string()
    found = answer.int16(), answer.nullable_string()
    answer.tags()
    return found


def _write_update(body: Writer, name: str, level: int) -> None:
    body.nullable_string(name)
    body.int16(level)
    body.int8(UPGRADE)
    body.tags()
