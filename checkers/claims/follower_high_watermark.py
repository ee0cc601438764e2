"""While nothing moved, a follower's high watermark was not what it has and was told.

It must be the smaller one of its own log end offset and the high watermark in the last answer that
it was given. Only looks taken while every follower stood at the gate count: between two fetches
there is nothing to race with.
"""

from highwater.checkers.claim import Claim

CLAIM = Claim(
    name="follower-high-watermark",
    title="a follower's high watermark is min(own log end, what the leader told it)",
    definition=__doc__,
    about="looks at followers while every fetch stood at the gate",
    needs=("replica_states", "fetches"),
    query="""
    WITH answers AS (
        SELECT run, topic, partition, follower AS broker, leader, at_ns AS told_ns,
            high_watermark AS told
        FROM fetches WHERE stage = 'response'),
    quiet_looks AS (
        SELECT run, topic, partition, broker, leader, at_ns, log_end_offset, high_watermark
        FROM replica_states
        WHERE quiet AND leader <> broker AND log_end_offset IS NOT NULL
            AND high_watermark IS NOT NULL),
    informed AS (
        SELECT run, topic, partition, broker, at_ns, log_end_offset, high_watermark,
            max_by(told, told_ns) AS told
        FROM quiet_looks JOIN answers USING (run, topic, partition, broker, leader)
        WHERE told_ns < at_ns GROUP BY ALL)
    SELECT run, topic, partition, broker, at_ns, log_end_offset, high_watermark, told,
        IF(high_watermark = least(log_end_offset, told), NULL, 'anomaly') AS finding
    FROM informed
    """,
)
