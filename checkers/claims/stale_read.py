"""A reader was told that the log ends below a record acknowledged before it began to read.

The record was there: a later reader was handed it. One that nobody was handed afterwards is not
stale but lost, which is another claim.
"""

from highwater.checkers.claim import Claim

CLAIM = Claim(
    name="stale-read",
    title="a reader finds what was acknowledged before it began",
    definition=__doc__,
    about="readers that got to the end",
    needs=("history",),
    query="""
    WITH readings AS (
        SELECT run, topic, partition, op, client, offset, invoked_ns, completed_ns
        FROM history WHERE action = 'end' AND outcome = 'ok'),
    seen AS (
        SELECT run, topic, partition, value, max(invoked_ns) AS seen_ns FROM polls GROUP BY ALL),
    hidden AS (
        SELECT run, readings.op, min(struct(acknowledged.offset AS at, value)) AS first,
            count(*) AS hidden_records
        FROM readings
            JOIN acknowledged USING (run, topic, partition)
            JOIN seen USING (run, topic, partition, value)
        WHERE acknowledged.offset >= readings.offset
            AND acknowledged.completed_ns BETWEEN acknowledged.invoked_ns AND readings.invoked_ns
            AND seen_ns > readings.completed_ns
        GROUP BY run, readings.op)
    SELECT run, topic, partition, offset, client, invoked_ns, completed_ns,
        first.at AS first_hidden_at, first.value AS first_hidden, hidden_records,
        CASE WHEN completed_ns < invoked_ns THEN 'doubt: a clock ran backwards'
            WHEN hidden_records > 0 THEN 'anomaly' END AS finding
    FROM readings LEFT JOIN hidden USING (run, op)
    """,
)
