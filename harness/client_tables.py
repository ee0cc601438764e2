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

_ASKED = (
    pa.field("asked_ns", pa.int64(), nullable=False),  # when all of the request was at the gate
    pa.field("answered_ns", pa.int64()),  # when its answer went on to the client; null: it did not
    pa.field("broker", pa.int32(), nullable=False),  # who was asked
    pa.field("client", pa.string()),  # its client.id
)

# One row per partition of each commit of positions that the gate saw a client ask for.
COMMIT_REQUESTS = pa.schema(
    [
        *_ASKED,
        pa.field("group", pa.string(), nullable=False),
        pa.field("member", pa.string()),  # its member id; empty: it is in no group
        pa.field("generation", pa.int32()),  # of the group, or the member's epoch (KIP-848)
        pa.field("transactional_id", pa.string()),  # of TxnOffsetCommit: it is in a transaction
        pa.field("topic", pa.string(), nullable=False),
        pa.field("partition", pa.int32(), nullable=False),
        pa.field("offset", pa.int64(), nullable=False),
        pa.field("error_code", pa.int32()),  # Kafka's, 0 for none; null: no answer came
    ]
)

# One row per batch that the gate saw a client send, as often as it sent it.
BATCHES = pa.schema(
    [
        *_ASKED,
        pa.field("topic", pa.string(), nullable=False),
        pa.field("partition", pa.int32(), nullable=False),
        # The next five are null where the message format is older than 2, and tells none of them.
        pa.field("producer_id", pa.int64()),  # -1: it is not idempotent
        pa.field("epoch", pa.int32()),
        pa.field("base_sequence", pa.int32()),
        pa.field("records", pa.int32()),
        pa.field("is_transactional", pa.bool_()),
        pa.field("acks", pa.string(), nullable=False),  # all, 1, 0
        pa.field("error_code", pa.int32()),  # as above
        pa.field("base_offset", pa.int64()),  # -1 where it was not appended, or nobody knows
    ]
)

# One row per answer to who asked for a producer id, or for another epoch of the one that it had.
PRODUCER_IDS = pa.schema(
    [
        *_ASKED,
        pa.field("transactional_id", pa.string()),
        pa.field("asked_id", pa.int64()),  # -1: it had none; null: its request cannot say
        pa.field("asked_epoch", pa.int32()),
        pa.field("error_code", pa.int32()),
        pa.field("producer_id", pa.int64()),
        pa.field("epoch", pa.int32()),
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
