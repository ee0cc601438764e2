"""While nothing moved, a leader's high watermark was not what the in-sync set had told it.

It must be the smallest log end offset that the leader knows of in the ISR: its own, and for every
follower the offset of the last fetch that reached it. Only looks taken while every follower stood
at the gate count, and only where a fetch of each in-sync follower has been seen.
"""

from highwater.checkers.claim import Claim

CLAIM = Claim(
    name="leader-high-watermark",
    title="a leader's high watermark is the smallest log end it knows of in the ISR",
    definition=__doc__,
    about="looks at leaders while every fetch stood at the gate",
    needs=("replica_states", "fetches"),
    query="""
    WITH requests AS (
        SELECT run, topic, partition, leader AS broker, string(follower) AS member,
            at_ns AS asked_ns, fetch_offset
        FROM fetches WHERE stage = 'request'),
    quiet_looks AS (
        SELECT run, topic, partition, broker, at_ns, log_end_offset, high_watermark,
            explode(array_except(split(isr, ','), array(string(broker)))) AS member
        FROM replica_states
        WHERE quiet AND leader = broker AND log_end_offset IS NOT NULL
            AND high_watermark IS NOT NULL),
    members AS (
        SELECT run, topic, partition, broker, at_ns, log_end_offset, high_watermark, member,
            max_by(fetch_offset, asked_ns) FILTER (WHERE asked_ns < at_ns) AS known
        FROM quiet_looks LEFT JOIN requests USING (run, topic, partition, broker, member)
        GROUP BY ALL),
    informed AS (
        SELECT run, topic, partition, broker, at_ns, log_end_offset, high_watermark,
            min(known) AS smallest_known
        FROM members GROUP BY ALL HAVING count(known) = count(member))
    SELECT run, topic, partition, broker, at_ns, log_end_offset, high_watermark, smallest_known,
        IF(high_watermark = least(log_end_offset, smallest_known), NULL, 'anomaly') AS finding
    FROM informed
    """,
)
