"""Tables of what clients did beside sending and reading; all of them stand in tables.py."""

from __future__ import annotations

import pyarrow as pa

OF_MEMBER = (
    pa.field("group", pa.string(), nullable=False),
    pa.field("client", pa.string(), nullable=False),  # its name in Kafka
    pa.field("topic", pa.string(), nullable=False),
    pa.field("partition", pa.int32(), nullable=False),
)

# One row per flush that a client's library says has ended: all that it was handed before has an
# outcome, or it could not wait for that.
FLUSHES = pa.schema(
    [
        pa.field("client", pa.string(), nullable=False),  # as in `history`
        pa.field("asked_ns", pa.int64(), nullable=False),  # when its library was told to
        pa.field("flushed_ns", pa.int64(), nullable=False),  # when that said that it has, or cannot
        pa.field("error", pa.string()),  # why it cannot
    ]
)

# One row per partition of each commit of a group's positions, when its answer has come.
COMMITS = pa.schema(
    [
        *OF_MEMBER,
        pa.field("offset", pa.int64(), nullable=False),  # at which whoever comes next begins
        pa.field("outcome", pa.string(), nullable=False),  # invoked, ok, failed, unknown
        pa.field("invoked_ns", pa.int64(), nullable=False),
        pa.field("completed_ns", pa.int64()),
        pa.field("error", pa.string()),
        pa.field("transaction", pa.int64()),  # of its member's, where it was made in one
    ]
)

# One row per partition of what a member of a group has finished with at once.
PROCESSED = pa.schema(
    [
        *OF_MEMBER,
        pa.field("first_offset", pa.int64(), nullable=False),
        pa.field("end_offset", pa.int64(), nullable=False),  # one past the last record's
        pa.field("completed_ns", pa.int64(), nullable=False),
    ]
)

# One row per partition that a member of a group was assigned, or ceased to hold.
ASSIGNMENTS = pa.schema(
    [
        *OF_MEMBER,
        pa.field("what", pa.string(), nullable=False),  # assigned, revoked, lost
        pa.field("at_ns", pa.int64(), nullable=False),
        pa.field("generation", pa.int32()),  # of the group, or the member's epoch (KIP-848)
    ]
)

# One row per span of offsets that a member of a share group (KIP-932) was handed, or acknowledged.
SHARES = pa.schema(
    [
        *OF_MEMBER,
        pa.field("step", pa.string(), nullable=False),  # handed, accepted, released
        pa.field("first_offset", pa.int64(), nullable=False),
        pa.field("end_offset", pa.int64(), nullable=False),  # one past the last record's
        pa.field("delivery_count", pa.int32()),  # of what was handed, as the broker says
        pa.field("outcome", pa.string(), nullable=False),  # ok, failed, unknown
        pa.field("invoked_ns", pa.int64(), nullable=False),
        pa.field("completed_ns", pa.int64()),
        pa.field("error", pa.string()),
    ]
)

# What an application was to make of its inputs, and made: records of both by the identity of what
# they are, or were made of; its position; and to where all of it was read.
CONTRACTS = pa.schema(
    [
        pa.field("contract", pa.string(), nullable=False),
        pa.field("tells", pa.string(), nullable=False),  # input, output, position, ...
        pa.field("topic", pa.string(), nullable=False),
        pa.field("partition", pa.int32(), nullable=False),
        pa.field("offset", pa.int64(), nullable=False),
        pa.field("identity", pa.string()),  # null: nobody could make it out
        pa.field("key_hash", pa.int64()),  # of the record's key, as `key` in `history`
        pa.field("each", pa.string()),  # of an input: exactly, at least, at most one output
        pa.field("keeps", pa.string()),  # of an input: what its outputs keep of it
    ]
)
