"""A consumer was handed a value whose send is known to have failed (Adya's G1a).

That is a record of a transaction whose abort was confirmed, or one that was refused outright. Only
readers of committed records are in the history; who reads uncommitted ones asks for this.
"""

from highwater.checkers.claim import Claim

CLAIM = Claim(
    name="aborted-read",
    title="what failed is never read",
    definition=__doc__,
    about="values that were read",
    needs=("history",),
    query="""
    SELECT run, topic, partition, offset, value, client, polls.invoked_ns, failed_because,
        IF(has_failed, 'anomaly', NULL) AS finding
    FROM polls LEFT JOIN (
        SELECT run, value, TRUE AS has_failed, any_value(error) AS failed_because
        FROM sends WHERE outcome = 'failed' GROUP BY run, value) USING (run, value)
    WHERE value IS NOT NULL
    """,
)
