"""In one replica's log a batch begins at or below an offset that an earlier batch has.

Offsets grow from batch to batch in every log that a leader has written, compacted or not. A reader
who seeks one of the offsets finds the first of the two; a broker that rebuilds the index of such a
log may refuse to start. Damaged batches are not asked.
"""

from highwater.checkers.claim import Claim

CLAIM = Claim(
    name="offsets-out-of-order",
    title="offsets grow within a replica's log",
    definition=__doc__,
    about="batches in the replicas' logs",
    needs=("replica_logs",),
    query="""
    WITH batches AS (SELECT run, topic, partition, broker, segment, position,
            min(offset) AS offset, max(offset) AS last
        FROM replica_logs WHERE problem IS NULL GROUP BY ALL),
    ordered AS (SELECT *, max(last) OVER (PARTITION BY run, topic, partition, broker
            ORDER BY segment, position ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
        FROM batches)
    SELECT run, topic, partition, broker, segment, position, offset, before AS offset_before,
        IF(offset <= before, 'anomaly', NULL) AS finding
    FROM ordered
    """,
)
