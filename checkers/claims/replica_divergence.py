"""Two in-sync replicas hold different records at one offset that both call committed.

A replica is asked for every offset from its log start up to its own high watermark, in a settled
state or not. Records differ when their digests or (message format v2) their leader epochs do, or
when one replica has none where another has one. A replica whose log is damaged or not in the record
is not asked what it lacks. Compacted topics are not for this claim: replicas compact on their own.
"""

from highwater.checkers.claim import Claim

CLAIM = Claim(
    name="replica-divergence",
    title="in-sync replicas hold the same records",
    definition=__doc__,
    about="committed offsets held by two in-sync replicas",
    needs=("replica_logs", "replica_ends"),
    query="""
    WITH logs AS (SELECT run, topic, partition, broker, count(problem) = 0 AS whole
        FROM replica_logs GROUP BY ALL),
    asked AS (SELECT run, topic, partition, collect_list(struct(broker,
            coalesce(whole, FALSE) AS whole, coalesce(log_start_offset, 0) AS low,
            high_watermark AS high)) AS replicas
        FROM replica_ends LEFT JOIN logs USING (run, topic, partition, broker)
        WHERE in_isr GROUP BY ALL),
    held AS (SELECT run, topic, partition, offset, replicas, broker, digest,
            IF(leader_epoch < 0, NULL, leader_epoch) AS epoch,
            concat(broker, ': ', CASE WHEN problem IS NOT NULL THEN 'damaged'
                WHEN is_control THEN 'control record' WHEN value IS NULL THEN 'foreign record'
                ELSE concat('value ', value) END,
                coalesce(concat(' (epoch ', leader_epoch, ')'), '')) AS text
        FROM replica_logs JOIN asked USING (run, topic, partition)
        WHERE exists(replicas, r -> r.broker = broker AND offset >= r.low AND offset < r.high)),
    compared AS (SELECT run, topic, partition, offset, collect_set(struct(broker, text)) AS copies,
            size(collect_set(digest)) > 1 OR size(collect_set(epoch)) > 1 AS differ,
            transform(filter(any_value(replicas), r -> r.whole AND offset >= r.low
                AND offset < r.high AND NOT array_contains(collect_set(broker), r.broker)),
                r -> struct(r.broker, concat(r.broker, ': nothing') AS text)) AS absences
        FROM held GROUP BY run, topic, partition, offset)
    SELECT run, topic, partition, offset,
        array_join(array_sort(concat(copies, absences)).text, '; ') AS held,
        IF(differ OR size(absences) > 0, 'anomaly', NULL) AS finding
    FROM compared WHERE size(copies) + size(absences) > 1
    """,
)
