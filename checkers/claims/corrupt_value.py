"""A record came back, or lies on a replica's disk, with another payload than was sent.

Either its checksum differs from that of the send of the same value; or a consumer could not make
out a value at all, in a topic that this run writes to; or the segment reader found it damaged.
"""

from highwater.checkers.claim import Claim

CLAIM = Claim(
    name="corrupt-value",
    title="every record is read and stored as it was sent",
    definition=__doc__,
    about="records that were read or are in a replica's log",
    needs=("history",),
    uses=("replica_logs",),
    query="""
    SELECT run, topic, partition, offset, value, checksum, sent_checksum, found_by,
        coalesce(problem, IF(checksum <> sent_checksum, 'checksum differs', NULL)) AS problem,
        IF(problem IS NOT NULL OR checksum <> sent_checksum, 'anomaly', NULL) AS finding
    FROM (SELECT run, topic, partition, offset, value, checksum, client AS found_by,
            IF(value IS NULL, 'payload is unreadable', NULL) AS problem
        FROM polls LEFT SEMI JOIN sends USING (run, topic)
        UNION ALL SELECT run, topic, partition, offset, value, checksum,
            concat('broker ', broker), problem
        FROM replica_logs WHERE problem IS NOT NULL OR NOT is_control)
    LEFT JOIN (SELECT run, value, min(checksum) AS sent_checksum FROM sends GROUP BY run, value)
        USING (run, value)
    """,
)
