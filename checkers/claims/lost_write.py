"""A record acknowledged with acks=all is in no poll and not in the final leader's log.

It is called lost only where readers and segments agree: a reader got to the end of the leader's
log, the replicas had settled, and that log is in the record, whole. Anything less is UNKNOWN: the
high watermark of a young leader hides records that are all there. In a record without replica
tables Jepsen's rule holds: lost is what was acknowledged below the furthest offset read, or below
the position where a reader found the log's end; beyond it a record is unseen, and nobody can tell.
Records sent with acks=1 or acks=0 may vanish: they are told of, not counted.
"""

from highwater.checkers.claim import Claim

CLAIM = Claim(
    name="lost-write",
    title="every acknowledged write is still there",
    definition=__doc__,
    about="sends acknowledged with acks=all",
    needs=("history",),
    uses=("replica_logs", "replica_ends"),
    query="""
    SELECT run, topic, partition, offset, value, acks, client, invoked_ns, completed_ns,
        IF(leader IS NULL, NULL, coalesce(still_on, 'none')) AS still_on, replaced_by,
        CASE WHEN read THEN NULL
            WHEN doubt IS NULL AND acks = 'all' THEN 'anomaly'
            WHEN doubt IS NULL THEN concat('allowed: lost, sent with acks=', acks)
            ELSE concat('doubt: ', topic, '-', partition, ': ', doubt) END AS finding
    FROM (SELECT *, CASE
            WHEN covered IS NULL THEN 'nobody read it'
            WHEN leader IS NULL AND coalesce(offset, -1) < 0 THEN 'acknowledged without an offset'
            WHEN leader IS NULL AND offset >= covered
                THEN concat('unseen, no reader got beyond offset ', covered)
            WHEN leader IS NULL THEN NULL
            WHEN covered < readable_end THEN concat('the reader stopped at offset ', covered,
                ' although the leader''s log ends at ', readable_end,
                ' (the high watermark of a young leader)')
            WHEN in_log THEN 'in the leader''s log, but no reader saw it'
            WHEN NOT settled THEN 'the replicas had not settled when the final read was made'
            WHEN NOT recorded THEN 'the leader''s log is not in the record'
            WHEN damaged THEN 'the leader''s log is damaged'
            WHEN offset < log_start_offset THEN 'the leader''s log starts only after it'
            END AS doubt
        FROM sends
            LEFT JOIN values_read USING (run, topic, partition, value)
            LEFT JOIN values_kept USING (run, topic, partition, value)
            LEFT JOIN offsets_kept USING (run, topic, partition, offset)
            LEFT JOIN reach USING (run, topic, partition)
        WHERE outcome = 'ok')
    WHERE acks = 'all' OR (acks IN ('0', '1') AND doubt IS NULL AND NOT coalesce(read, FALSE))
    """,
)
