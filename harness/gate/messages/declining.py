"""Frames that say an error, made of the request that they answer or of the answer they replace."""

from __future__ import annotations

from highwater.harness.gate import headers
from highwater.harness.gate.headers import LENGTH, RequestHeader
from highwater.harness.gate.messages import codec
from highwater.harness.gate.messages.answers import APIS, refusal
from highwater.harness.gate.messages.codec import Values
from highwater.harness.gate.messages.schemas import Message, Schemas
from highwater.harness.gate.primitives import BoundedReader, DecodeError, Reader, Writer

# The answer to a Metadata request says where brokers are: it is a broker's own with errors in it.
REPLACED = frozenset({headers.METADATA})
ANSWERED = APIS | REPLACED
_ERRORS = ("ErrorCode", "PartitionErrorCode")


def read_request(
    schemas: Schemas, raw: bytes, header: RequestHeader, most: int | None = None
) -> Values:
    """Raises DecodeError, also where it has more elements than `most`."""
    message = schemas.request(header.api_key, header.api_version)
    reader = _reader(raw, header.body_at, header.api_version in message.flexible, most)
    reader.tags()
    return codec.read(message, header.api_version, reader)


def is_unanswered(header: RequestHeader, asked: Values) -> bool:
    """Whether the client waits for no answer: acks=0."""
    return header.api_key == headers.PRODUCE and asked["Acks"] == 0


def declined(schemas: Schemas, header: RequestHeader, asked: Values, error: int) -> bytes:
    """The whole frame of an answer that refuses what was asked. Raises DecodeError."""
    message = schemas.response(header.api_key, header.api_version)
    return answer_frame(message, header, refusal(header.api_key, header.api_version, asked, error))


def spoilt(schemas: Schemas, header: RequestHeader, raw: bytes, error: int) -> bytes:
    """The whole frame of a broker's answer, with this error wherever it tells one innermost."""
    message, values = read_answer(schemas, header, raw)
    if not _spoil(values, error):
        raise DecodeError(f"{message.name} {header.api_version} has no error to set")
    return answer_frame(message, header, values)


def misled(schemas: Schemas, header: RequestHeader, raw: bytes, leader: int) -> bytes:
    """The whole frame of an answer to Metadata, by which this broker leads what it has replicas of.

    The same frame where that changes nothing. Raises DecodeError.
    """
    message, values = read_answer(schemas, header, raw)
    if header.api_key != headers.METADATA:
        raise DecodeError(f"{message.name} does not say who leads")
    told = [each for topic in values["Topics"] for each in topic["Partitions"]]
    led = [each for each in told if leader in each["ReplicaNodes"] and each["LeaderId"] != leader]
    for partition in led:
        partition["LeaderId"] = leader
    return answer_frame(message, header, values) if led else raw


def read_answer(
    schemas: Schemas, header: RequestHeader, raw: bytes, most: int | None = None
) -> tuple[Message, Values]:
    """What a whole frame says in answer to a request with this header.

    Raises DecodeError, also where it has more elements than `most`.
    """
    version = header.api_version
    message = schemas.response(header.api_key, version)
    reader = _reader(raw, 8, version in message.flexible, most)
    reader.tags()
    return message, codec.read(message, version, reader)


def _reader(raw: bytes, at: int, flexible: bool, most: int | None) -> Reader:
    if most is None:
        return Reader(raw, at, flexible)
    return BoundedReader(raw, at, flexible, most)


def _spoil(values: Values, error: int) -> bool:
    within = [one for each in values.values() if isinstance(each, list) for one in each]
    spoilt_within = [_spoil(one, error) for one in within if isinstance(one, dict)]
    if any(spoilt_within):
        return True
    named = [name for name in _ERRORS if name in values]
    values.update(dict.fromkeys(named, error))
    return bool(named)


def answer_frame(message: Message, header: RequestHeader, values: Values) -> bytes:
    """The whole frame of an answer that says this."""
    head = Writer(header.api_version in message.flexible)
    head.int32(header.correlation_id)
    head.tags()
    body = codec.write(message, header.api_version, values)
    return LENGTH.pack(len(head.buffer) + len(body)) + bytes(head.buffer) + body
