"""The claims about a history without replica tables once more, for engines to be compared with.

Each prints, per claim, how much it considered and found wrong, as JSON: `python -m
tests.bench.other_engines duckdb DIR`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

# Per claim, a query whose rows are what is considered, with whether it is wrong.
QUERIES = {
    "lost-write": """
        SELECT value, r.value IS NULL AND coalesce(s."offset" < covered, FALSE) AS wrong
        FROM acked s LEFT JOIN (SELECT DISTINCT topic, partition, value FROM polls) r
            USING (topic, partition, value)
        LEFT JOIN (SELECT topic, partition, max(CASE action WHEN 'poll' THEN "offset" + 1
                WHEN 'end' THEN "offset" END) AS covered
            FROM history WHERE outcome = 'ok' GROUP BY ALL) USING (topic, partition)""",
    "duplicate": """
        SELECT min("offset") < max("offset") AS wrong FROM polls WHERE value IS NOT NULL
        GROUP BY topic, partition, value""",
    "inconsistent-offsets": """
        SELECT min(value) < max(value) AS wrong
        FROM (SELECT topic, partition, "offset", value FROM polls
            UNION ALL SELECT topic, partition, "offset", value FROM acked WHERE "offset" >= 0)
        WHERE value IS NOT NULL GROUP BY topic, partition, "offset" """,
    "nonmonotonic-send": """
        SELECT "offset" < highest AS wrong FROM (
            SELECT *, max(ended) OVER (PARTITION BY topic, partition, client ORDER BY at_ns
                RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS highest
            FROM (SELECT topic, partition, client, "offset", invoked_ns AS at_ns, NULL AS ended
                    FROM acked WHERE "offset" >= 0
                UNION ALL SELECT topic, partition, client, "offset", completed_ns, "offset"
                    FROM acked WHERE "offset" >= 0 AND completed_ns >= invoked_ns))
        WHERE ended IS NULL""",
    "phantom-read": """
        SELECT NOT coalesce(sent, FALSE) AS wrong
        FROM polls LEFT JOIN (SELECT DISTINCT value, TRUE AS sent FROM sends) USING (value)
        WHERE value IS NOT NULL""",
    "aborted-read": """
        SELECT coalesce(has_failed, FALSE) AS wrong FROM polls LEFT JOIN (
            SELECT DISTINCT value, TRUE AS has_failed FROM sends WHERE outcome = 'failed')
            USING (value)
        WHERE value IS NOT NULL""",
    "corrupt-value": """
        SELECT value IS NULL OR coalesce(checksum <> sent_checksum, FALSE) AS wrong
        FROM polls LEFT JOIN (SELECT value, min(checksum) AS sent_checksum FROM sends
            GROUP BY value) USING (value)
        WHERE topic IN (SELECT DISTINCT topic FROM sends)""",
    "stale-read": """
        WITH readings AS (SELECT * FROM history WHERE action = 'end' AND outcome = 'ok'),
        seen AS (SELECT topic, partition, value, max(invoked_ns) AS seen_ns FROM polls
            GROUP BY ALL),
        hidden AS (SELECT readings.op, count(*) AS hidden_records
            FROM readings JOIN acked USING (topic, partition)
                JOIN seen ON acked.topic = seen.topic AND acked.partition = seen.partition
                    AND acked.value = seen.value
            WHERE acked."offset" >= readings."offset"
                AND acked.completed_ns BETWEEN acked.invoked_ns AND readings.invoked_ns
                AND seen_ns > readings.completed_ns
            GROUP BY readings.op)
        SELECT hidden_records IS NOT NULL AS wrong FROM readings LEFT JOIN hidden USING (op)""",
    "stuck-reader": """
        WITH readings AS (
            SELECT * FROM history WHERE action IN ('end', 'stall') AND outcome = 'ok'),
        sent AS (SELECT topic, partition, value, min(invoked_ns) AS sent_ns,
                max(CASE WHEN outcome IN ('ok', 'failed') THEN completed_ns END) AS known_ns,
                max(CASE WHEN outcome = 'ok' THEN "offset" END) AS stands_at
            FROM sends GROUP BY ALL)
        SELECT r.action = 'stall' AND bool_or(stands_at >= r."offset" AND known_ns <= invoked_ns)
            AND NOT bool_or(sent_ns <= completed_ns AND coalesce(known_ns > invoked_ns, TRUE))
            AS wrong
        FROM readings r LEFT JOIN sent USING (topic, partition) GROUP BY r.op, r.action""",
}


def duckdb_counts(run: Path, memory: str = "2GB") -> dict[str, list[int]]:
    """Judged by DuckDB on two threads, claim by claim."""
    import duckdb  # noqa: PLC0415 - the other engine needs none of it

    found = {}
    with duckdb.connect() as database:
        database.execute("SET threads = 2")
        database.execute(f"SET memory_limit = '{memory}'")
        database.execute(
            f"CREATE VIEW history AS SELECT * FROM '{run}/history/*.parquet';"
            "CREATE VIEW sends AS SELECT * FROM history WHERE action = 'send';"
            "CREATE VIEW acked AS SELECT * FROM sends WHERE outcome = 'ok' AND acks = 'all';"
            "CREATE VIEW polls AS SELECT * FROM history WHERE action = 'poll' AND outcome = 'ok'"
        )
        for claim, query in QUERIES.items():
            summary = f"SELECT count(*), count(*) FILTER (WHERE wrong) FROM ({query})"
            found[claim] = list(database.execute(summary).fetchone() or ())
    return found


ENGINES: dict[str, Any] = {"duckdb": duckdb_counts}

if __name__ == "__main__":
    print(json.dumps(ENGINES[sys.argv[1]](Path(sys.argv[2]))))
