"""For five seconds and more a broker was alive and registered, and answered nothing.

To the rest of the cluster such a broker is there, so nobody takes its place, and no supervisor
restarts it, as its process has not ended. A broker that is starting is not yet registered; one that
is frozen or cut off by a fault is for the scenario to tolerate. One anomaly for each such time.
"""

from highwater.checkers.claim import Claim

CLAIM = Claim(
    name="stuck-broker",
    title="a broker that lives and is registered answers",
    definition=__doc__,
    about="times in which a broker was watched",
    needs=("liveness",),
    query="""
    WITH looks AS (SELECT *, running AND registered AND NOT answers AS silent FROM liveness),
    numbered AS (SELECT *, row_number() OVER (PARTITION BY run, broker ORDER BY at_ns)
            - row_number() OVER (PARTITION BY run, broker, silent ORDER BY at_ns) AS island
        FROM looks)
    SELECT run, broker, min(at_ns) AS since_ns, max(at_ns) AS until_ns, count(*) AS looks,
        IF(silent AND max(at_ns) - min(at_ns) >= 5e9, 'anomaly', NULL) AS finding
    FROM numbered GROUP BY run, broker, silent, island
    """,
)
