"""Frame lengths, request and response headers, and which versions are flexible.

A frame is `int32 length | header | body`. The client id keeps its int16 length even in flexible
request headers (RequestHeader.json), and ApiVersions answers never carry header tags.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from highwater.harness.gate.primitives import DecodeError, Reader, Writer

PRODUCE = 0
FETCH = 1
LIST_OFFSETS = 2
METADATA = 3
LEADER_AND_ISR = 4
STOP_REPLICA = 5
UPDATE_METADATA = 6
CONTROLLED_SHUTDOWN = 7
OFFSET_COMMIT = 8
OFFSET_FETCH = 9
FIND_COORDINATOR = 10
JOIN_GROUP = 11
HEARTBEAT = 12
LEAVE_GROUP = 13
SYNC_GROUP = 14
API_VERSIONS = 18
CREATE_TOPICS = 19
DELETE_TOPICS = 20
DELETE_RECORDS = 21
INIT_PRODUCER_ID = 22
OFFSETS_FOR_LEADER_EPOCH = 23
ADD_PARTITIONS_TO_TXN = 24
ADD_OFFSETS_TO_TXN = 25
END_TXN = 26
WRITE_TXN_MARKERS = 27
TXN_OFFSET_COMMIT = 28
ALTER_REPLICA_LOG_DIRS = 34
DESCRIBE_LOG_DIRS = 35
CREATE_PARTITIONS = 37
ELECT_LEADERS = 43
INCREMENTAL_ALTER_CONFIGS = 44
ALTER_PARTITION_REASSIGNMENTS = 45
LIST_PARTITION_REASSIGNMENTS = 46
DESCRIBE_QUORUM = 55
ALTER_PARTITION = 56
UPDATE_FEATURES = 57
DESCRIBE_CLUSTER = 60
BROKER_HEARTBEAT = 63
DESCRIBE_TRANSACTIONS = 65
CONSUMER_GROUP_HEARTBEAT = 68
ASSIGN_REPLICAS_TO_DIRS = 73
DESCRIBE_TOPIC_PARTITIONS = 75
SHARE_GROUP_DESCRIBE = 77
SHARE_FETCH = 78
SHARE_ACKNOWLEDGE = 79

_FLEXIBLE_FROM = {
    PRODUCE: 9,
    FETCH: 12,
    LIST_OFFSETS: 6,
    METADATA: 9,
    LEADER_AND_ISR: 4,
    STOP_REPLICA: 2,
    UPDATE_METADATA: 6,
    CONTROLLED_SHUTDOWN: 3,
    OFFSET_FETCH: 6,
    FIND_COORDINATOR: 3,
    JOIN_GROUP: 6,
    SYNC_GROUP: 4,
    API_VERSIONS: 3,
    CREATE_TOPICS: 5,
    DELETE_TOPICS: 4,
    DELETE_RECORDS: 2,
    OFFSETS_FOR_LEADER_EPOCH: 4,
    END_TXN: 3,
    TXN_OFFSET_COMMIT: 3,
    WRITE_TXN_MARKERS: 1,
    ALTER_REPLICA_LOG_DIRS: 2,
    ELECT_LEADERS: 2,
    ALTER_PARTITION_REASSIGNMENTS: 0,
    LIST_PARTITION_REASSIGNMENTS: 0,
    DESCRIBE_QUORUM: 0,
    ALTER_PARTITION: 0,
    BROKER_HEARTBEAT: 0,
    UPDATE_FEATURES: 0,
    INIT_PRODUCER_ID: 2,
    DESCRIBE_TRANSACTIONS: 0,
    CONSUMER_GROUP_HEARTBEAT: 0,
    ASSIGN_REPLICAS_TO_DIRS: 0,
    DESCRIBE_TOPIC_PARTITIONS: 0,
    SHARE_GROUP_DESCRIBE: 0,
}

LENGTH = struct.Struct(">i")
_START = struct.Struct(">hhi")
_CLIENT_ID_LENGTH = struct.Struct(">h")
LONGEST_FRAME_BYTES = 1 << 30


@dataclass(frozen=True, slots=True)
class RequestHeader:
    """The header of one request; `body_at` counts from the frame's length field."""

    api_key: int
    api_version: int
    correlation_id: int
    client_id: str | None
    body_at: int


def is_flexible(api_key: int, api_version: int) -> bool:
    """Known only for the apis that the gate can name; others count as not flexible."""
    return api_version >= _FLEXIBLE_FROM.get(api_key, 1 << 15)


def whole_frames(frames: bytes | bytearray, start: int) -> int:
    """How many frames there are from `start` on; one that is not complete is none."""
    count = 0
    while len(frames) - start >= LENGTH.size:
        length = LENGTH.unpack_from(frames, start)[0]
        start += LENGTH.size + length
        if length < 0 or start > len(frames):
            break
        count += 1
    return count


def header_bytes_needed(frame: bytes | bytearray, length: int) -> int:
    """How much of a request frame must be there before `read_request_header` can read it.

    `frame` starts with its length field and may be incomplete; the answer grows as more arrives.
    """
    whole = 4 + length
    if len(frame) < min(whole, 14):
        return min(whole, 14)
    if whole < 14:
        return whole
    client_id_bytes: int = max(0, _CLIENT_ID_LENGTH.unpack_from(frame, 12)[0])
    return min(whole, 14 + client_id_bytes)


def read_request_header(frame: bytes | bytearray | memoryview) -> RequestHeader:
    """Reads up to the client id; `body_at` points behind it, before any header tags.

    Raises DecodeError for a frame too short to carry a header.
    """
    try:
        api_key, api_version, correlation_id = _START.unpack_from(frame, 4)
    except struct.error as error:
        raise DecodeError(str(error)) from None
    if api_key == CONTROLLED_SHUTDOWN and api_version == 0:
        return RequestHeader(api_key, api_version, correlation_id, None, 12)
    reader = Reader(frame, 12, flexible=False)
    client_id = reader.nullable_string()
    return RequestHeader(api_key, api_version, correlation_id, client_id, reader.position)


def request_body(frame: bytes | bytearray | memoryview, header: RequestHeader) -> Reader:
    """A reader standing at the first field of the body."""
    reader = Reader(frame, header.body_at, is_flexible(header.api_key, header.api_version))
    reader.tags()
    return reader


def response_body(
    frame: bytes | bytearray | memoryview, api_key: int, api_version: int, *, start: int = 8
) -> Reader:
    """A reader standing at the first field of an answer; `start` is 4 without a length field."""
    reader = Reader(frame, start, is_flexible(api_key, api_version))
    if api_key != API_VERSIONS:
        reader.tags()
    return reader


def encode_request(
    api_key: int, api_version: int, correlation_id: int, client_id: str | None, body: bytes
) -> bytes:
    """A whole frame, its length field included."""
    head = Writer(flexible=False)
    head.int16(api_key)
    head.int16(api_version)
    head.int32(correlation_id)
    head.nullable_string(client_id)
    head.flexible = is_flexible(api_key, api_version)
    head.tags()
    return LENGTH.pack(len(head.buffer) + len(body)) + bytes(head.buffer) + body
