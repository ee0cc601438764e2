"""The tables that the judge puts beside a record, of what it has measured; see docs/ledger.md.

Times are those of the record.
"""

from __future__ import annotations

import pyarrow as pa

# What the judge makes of a history: one row per client, topic and partition, and one with no
# partition for all of them; each for every second in which something ended, and once for all.
MEASURES = pa.schema(
    [
        pa.field("client", pa.string(), nullable=False),
        pa.field("topic", pa.string(), nullable=False),
        pa.field("partition", pa.int32()),
        pa.field("second", pa.int64()),
        *(pa.field(name, pa.int64(), nullable=False) for name in ("acked", "failed", "unknown")),
        pa.field("handed", pa.int64(), nullable=False),  # records, by polls
        *(
            pa.field(f"{what}_{which}_ms", pa.float64())
            for what in ("ack", "end_to_end")
            for which in ("p50", "p99", "p999", "max")
        ),
        pa.field("longest_gap_ms", pa.float64()),
        pa.field("from_ns", pa.int64()),
        pa.field("until_ns", pa.int64()),
    ]
)

# What the judge makes of timeline, history and looks: one row per fault and partition to which
# somebody sent, and one with no partition for the worst of each topic.
RECOVERIES = pa.schema(
    [
        pa.field("fault_id", pa.string(), nullable=False),  # as on the timeline
        pa.field("fault", pa.string(), nullable=False),
        pa.field("from_ns", pa.int64(), nullable=False),  # injected
        pa.field("until_ns", pa.int64()),  # healed
        pa.field("topic", pa.string(), nullable=False),
        pa.field("partition", pa.int32()),
        pa.field("sent_on", pa.bool_(), nullable=False),  # a send ended after the injection
        pa.field("first_ack_ms", pa.float64()),
        pa.field("silent_ms", pa.float64()),
        pa.field("leaderless_ms", pa.float64()),
        pa.field("isr_shrank", pa.bool_()),
        pa.field("full_isr_ms", pa.float64()),
    ]
)

# What the judge makes of assignments and the timeline: one row for each time in which partitions of
# a group had no owner, from the first that had none until all had one again.
REBALANCES = pa.schema(
    [
        pa.field("group", pa.string(), nullable=False),
        pa.field("client", pa.string(), nullable=False),  # whose partition it was
        pa.field("how", pa.string(), nullable=False),  # revoked, lost, killed, paused
        pa.field("from_ns", pa.int64(), nullable=False),
        pa.field("until_ns", pa.int64()),
        pa.field("partitions", pa.int64(), nullable=False),
        pa.field("members", pa.int64()),  # who held some when it was over
        pa.field("generation", pa.int64()),
        pa.field("rebalance_ms", pa.float64()),
    ]
)

# What the judge makes of commits, history and looks: how far each group lagged behind. One row per
# group, topic and partition, and one with no partition for all of them together; each for every
# second in which something may have changed, and once for all.
LAGS = pa.schema(
    [
        pa.field("group", pa.string(), nullable=False),
        pa.field("topic", pa.string(), nullable=False),
        pa.field("partition", pa.int32()),
        pa.field("second", pa.int64()),
        pa.field("lag_records", pa.int64()),  # the largest
        pa.field("last_records", pa.int64()),  # at the end
        pa.field("above_half_ms", pa.float64()),
        pa.field("from_ns", pa.int64()),
        pa.field("until_ns", pa.int64()),
    ]
)
