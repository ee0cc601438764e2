"""A replica that leads or is in sync has a log that ends below a high watermark seen before.

The watermark was reported by the leader of that moment before the replica's previous look, so
looks that are not atomic cannot feign it. A leader whose log ends below it counts at once; a
follower only in two successive looks that show it in the ISR, for metadata may lag behind, or in a
settled state at the end (`at_ns` is null then). A look without leader or ISR is no evidence, and a
follower out of the ISR may be behind. One anomaly per replica: its first.
"""

from highwater.checkers.claim import Claim

CLAIM = Claim(
    name="committed-truncation",
    title="no replica in sync falls below what was committed",
    definition=__doc__,
    about="looks at in-sync replicas after a high watermark was seen",
    needs=("replica_states",),
    uses=("replica_ends",),
    query="""
    WITH looks AS (
        SELECT run, topic, partition, broker, log_end_offset, at_ns,
            coalesce(leader = broker, FALSE) AS leads,
            array_contains(split(isr, ','), string(broker)) AS in_isr, FALSE AS settled,
            IF(leader = broker AND high_watermark IS NOT NULL,
                struct(high_watermark, -at_ns AS seen, broker), NULL) AS committed
        FROM replica_states
        UNION ALL SELECT run, topic, partition, broker, log_end_offset, NULL, is_leader, in_isr,
            settled, NULL
        FROM replica_ends),
    aware AS (SELECT *, max(committed) OVER (PARTITION BY run, topic, partition
            ORDER BY at_ns NULLS LAST RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS known
        FROM looks),
    informed AS (SELECT *, IF(at_ns IS NULL, known, lag(known) OVER replica) AS earlier FROM aware
        WINDOW replica AS (PARTITION BY run, topic, partition, broker ORDER BY at_ns NULLS LAST)),
    tested AS (SELECT *, coalesce(leads OR in_isr, FALSE) AND earlier IS NOT NULL AS bound,
        bound AND log_end_offset < earlier.high_watermark AS short FROM informed),
    counted AS (SELECT *, short AND (leads OR settled OR lag(short) OVER replica) AS truncated
        FROM tested
        WINDOW replica AS (PARTITION BY run, topic, partition, broker ORDER BY at_ns NULLS LAST))
    SELECT run, topic, partition, broker, log_end_offset, IF(leads, 'leader', 'in the ISR') AS role,
        at_ns, earlier.high_watermark, earlier.broker AS seen_by, -earlier.seen AS seen_at_ns,
        IF(truncated AND count_if(truncated) OVER (PARTITION BY run, topic, partition, broker
            ORDER BY at_ns NULLS LAST) = 1, 'anomaly', NULL) AS finding
    FROM counted WHERE bound AND log_end_offset IS NOT NULL
    """,
)
