"""One value stands at two or more offsets of a partition.

Offsets count where a consumer was handed the record, and where the segments of the final leader
hold it. A producer without idempotence may write twice what it sent once: a scenario that uses one
says that it tolerates this.
"""

from highwater.checkers.claim import Claim

CLAIM = Claim(
    name="duplicate",
    title="every value stands at one offset only",
    definition=__doc__,
    about="values that were read or are in a final leader's log",
    needs=("history",),
    uses=("replica_logs", "replica_ends"),
    query="""
    SELECT run, topic, partition, value, min(offset) AS offset, max(offset) AS also_at,
        IF(min(offset) < max(offset), 'anomaly', NULL) AS finding
    FROM (SELECT run, topic, partition, value, offset FROM polls
        UNION ALL SELECT run, topic, partition, value, offset FROM leader_log)
    WHERE value IS NOT NULL
    GROUP BY run, topic, partition, value
    """,
)
