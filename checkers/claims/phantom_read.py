"""A consumer was handed a value that nobody ever sent.

A send counts however it ended, one that is still open included. A value whose send is known to
have failed is not a phantom: that would be an aborted read.
"""

from highwater.checkers.claim import Claim

CLAIM = Claim(
    name="phantom-read",
    title="every value that was read had been sent",
    definition=__doc__,
    about="values that were read",
    needs=("history",),
    query="""
    SELECT run, topic, partition, offset, value, client, polls.invoked_ns,
        IF(sent, NULL, 'anomaly') AS finding
    FROM polls LEFT JOIN (SELECT DISTINCT run, value, TRUE AS sent FROM sends) USING (run, value)
    WHERE value IS NOT NULL
    """,
)
