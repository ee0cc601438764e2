"""A reader of committed records stood still below one that was committed before it began.

It was below the high watermark for all the time that it had, with no transaction open: every send
before it had ended, with success or without, when it began. Where the end of one is not known, a
transaction may be open, and a reader rightly waits for that: then nobody can tell.
"""

from highwater.checkers.claim import Claim

CLAIM = Claim(
    name="stuck-reader",
    title="a reader gets to the high watermark unless a transaction is open",
    definition=__doc__,
    about="readers that got to the end or stood still",
    needs=("history",),
    query="""
    WITH readings AS (
        SELECT run, topic, partition, op, client, action, offset, invoked_ns, completed_ns
        FROM history WHERE action IN ('end', 'stall') AND outcome = 'ok'),
    sent AS (
        SELECT run, topic, partition, value, min(invoked_ns) AS sent_ns,
            max(IF(outcome IN ('ok', 'failed'), completed_ns, NULL)) AS known_ns,
            max(IF(outcome = 'ok', offset, NULL)) AS stands_at
        FROM sends GROUP BY ALL),
    compared AS (
        SELECT run, topic, partition, op, client, action, offset, invoked_ns, completed_ns,
            min(IF(stands_at >= offset AND known_ns <= invoked_ns, struct(stands_at, value), NULL))
                AS beyond,
            coalesce(bool_or(sent_ns <= completed_ns
                AND coalesce(known_ns > invoked_ns, TRUE)), FALSE) AS maybe_open
        FROM readings LEFT JOIN sent USING (run, topic, partition) GROUP BY ALL)
    SELECT run, topic, partition, offset, client, invoked_ns, completed_ns,
        beyond.stands_at AS next_acknowledged_at, beyond.value AS next_acknowledged,
        CASE WHEN action = 'end' THEN NULL
            WHEN completed_ns < invoked_ns THEN 'doubt: a clock ran backwards'
            WHEN maybe_open THEN 'doubt: a transaction may have been open'
            WHEN beyond IS NULL THEN 'doubt: nothing that was acknowledged lies beyond'
            ELSE 'anomaly' END AS finding
    FROM compared
    """,
)
