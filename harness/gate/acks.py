"""Whether anybody answers a Produce request: its acks, near its beginning in all versions.

Brokers answer none with acks=0. That has to be known of those that are not read any further, too.
"""

from __future__ import annotations

from highwater.harness.gate import headers
from highwater.harness.gate.primitives import DecodeError

_TRANSACTIONAL_FROM = 3  # from this version on a transactional.id comes first


def acks_of(head: bytes) -> int | None:
    """By the first bytes of a request; None where they do not reach so far, or it has none."""
    try:
        header = headers.read_request_header(head)
        if header.api_key != headers.PRODUCE:
            return None
        body = headers.request_body(head, header)
        if header.api_version >= _TRANSACTIONAL_FROM:
            body.nullable_string()
        return body.int16()
    except DecodeError:
        return None


def lacks_acks(head: bytes) -> bool:
    """Whether more bytes of a request are needed to say it."""
    return head[4:6] == headers.PRODUCE.to_bytes(2, "big") and acks_of(head) is None
