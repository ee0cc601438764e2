"""One offset of a partition held two different values.

What counts is every poll, and every send acknowledged with acks=all at a known offset, lost since
or not: an offset that was acknowledged and then given to another record is the anomaly itself.
Sends with acks=1 or acks=0 do not count: after a loss that these allow, the offset is legally
used again. Nor do sends of unknown outcome, which nobody can place.
"""

from highwater.checkers.claim import Claim

CLAIM = Claim(
    name="inconsistent-offsets",
    title="every offset holds one value for ever",
    definition=__doc__,
    about="offsets that were read, or acknowledged with acks=all",
    needs=("history",),
    query="""
    SELECT run, topic, partition, offset, min(value) AS value, max(value) AS other_value,
        IF(min(value) < max(value), 'anomaly', NULL) AS finding
    FROM (SELECT run, topic, partition, offset, value FROM polls
        UNION ALL SELECT run, topic, partition, offset, value FROM acknowledged WHERE offset >= 0)
    WHERE value IS NOT NULL
    GROUP BY run, topic, partition, offset
    """,
)
