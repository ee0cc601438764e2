"""A send landed below a record of the same client that was acknowledged before it was invoked.

Both sends are with acks=all and in the same partition; order is real time, as the client saw it.
Sends in flight at the same moment are not compared, for without idempotence a retry may legally
reorder them; nor are sends with acks=1 or acks=0, whose offsets a legal loss gives away again.
"""

from highwater.checkers.claim import Claim

# Beginnings and ends of sends lie on one line of time; each beginning meets the highest end so far.
CLAIM = Claim(
    name="nonmonotonic-send",
    title="what a client sends later stands later",
    definition=__doc__,
    about="sends acknowledged with acks=all at a known offset",
    needs=("history",),
    query="""
    WITH moments AS (
        SELECT run, topic, partition, client, offset, value, invoked_ns,
            invoked_ns AS at_ns, NULL AS ended, completed_ns < invoked_ns AS backwards
        FROM acknowledged WHERE offset >= 0
        UNION ALL SELECT run, topic, partition, client, offset, value, invoked_ns,
            completed_ns, struct(offset, value), FALSE
        FROM acknowledged WHERE offset >= 0 AND completed_ns >= invoked_ns)
    SELECT run, topic, partition, client, offset, value, invoked_ns,
        highest.offset AS after_offset, highest.value AS after_value,
        CASE WHEN backwards THEN 'doubt: a clock ran backwards'
            WHEN offset < highest.offset THEN 'anomaly' END AS finding
    FROM (SELECT *, max(ended) OVER (PARTITION BY run, topic, partition, client
            ORDER BY at_ns RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS highest
        FROM moments)
    WHERE ended IS NULL
    """,
)
