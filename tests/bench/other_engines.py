"""The claims about a history without replica tables once more, for engines to be compared with.

Each prints, per claim, how much it considered and found wrong, as JSON: `python -m
tests.bench.other_engines duckdb DIR`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pandas as pd

PLACE = ["topic", "partition"]
TENTH_NS = 100_000_000

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
        SELECT min("offset") < max("offset") AS wrong
        FROM (SELECT topic, partition, value, "offset", TRUE AS seen FROM polls UNION ALL
            SELECT topic, partition, value, "offset", FALSE FROM acked WHERE "offset" >= 0)
        WHERE value IS NOT NULL GROUP BY topic, partition, value HAVING bool_or(seen)""",
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
    "nonmonotonic-poll": """
        SELECT "offset" <= max("offset") OVER (PARTITION BY topic, partition, client ORDER BY op
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS wrong
        FROM polls WHERE "offset" >= 0""",
    "poll-skip": """
        WITH handed AS (SELECT DISTINCT topic, partition, client, "offset" FROM polls
            WHERE "offset" >= 0),
        readers AS (SELECT topic, partition, client, min("offset") AS low, max("offset") AS high
            FROM handed GROUP BY ALL)
        SELECT handed."offset" IS NULL AS wrong
        FROM readers JOIN (SELECT DISTINCT topic, partition, "offset" FROM handed) there
                USING (topic, partition)
            LEFT JOIN handed USING (topic, partition, client, "offset")
        WHERE there."offset" BETWEEN low AND high""",
    "stalled-sends": """
        WITH ended AS (SELECT *, completed_ns // 100000000 AS tenth FROM sends
            WHERE outcome <> 'invoked' AND completed_ns IS NOT NULL),
        waited AS (SELECT DISTINCT topic, partition,
                unnest(generate_series((invoked_ns + 99999999) // 100000000, tenth - 1)) AS tenth
            FROM ended WHERE completed_ns - invoked_ns >= 100000000),
        stalled AS (SELECT *, tenth - row_number() OVER (PARTITION BY topic, partition
                ORDER BY tenth) AS island
            FROM waited ANTI JOIN (SELECT DISTINCT topic, partition, tenth FROM ended
                WHERE outcome = 'ok') USING (topic, partition, tenth)),
        long AS (SELECT DISTINCT topic, partition, TRUE AS wrong FROM (SELECT topic, partition
            FROM stalled GROUP BY topic, partition, island HAVING count(*) >= 300))
        SELECT coalesce(wrong, FALSE) AS wrong
        FROM (SELECT DISTINCT topic, partition FROM sends WHERE outcome <> 'invoked')
            LEFT JOIN long USING (topic, partition)""",
    "precommitted-read": """
        SELECT ended_ns > p.invoked_ns AS wrong
        FROM polls p JOIN (SELECT value, max(client) AS client, max(CASE WHEN outcome IN
                ('ok', 'failed') THEN completed_ns END) AS ended_ns FROM sends GROUP BY value)
            USING (value, client)""",
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


def pandas_counts(run: Path) -> dict[str, list[int]]:
    """Judged by pandas, with everything in memory."""
    history = pd.read_parquet(run / "history")
    sends = history[history["action"] == "send"]
    acked = sends[(sends["outcome"] == "ok") & (sends["acks"] == "all")]
    answered = history[history["outcome"] == "ok"]
    polls = answered[answered["action"] == "poll"]
    named = polls[polls["value"].notna()]
    ends = answered[answered["action"] == "end"]
    return {
        claim: [len(wrong), int(wrong.sum())]
        for claim, wrong in {
            "lost-write": _lost(acked, polls, ends),
            "duplicate": _twice(named, acked),
            "inconsistent-offsets": _several(
                pd.concat([named, acked[acked["offset"] >= 0]]), [*PLACE, "offset"], "value"
            ),
            "nonmonotonic-send": _nonmonotonic(acked),
            "nonmonotonic-poll": _backwards(polls),
            "poll-skip": _skipped(polls),
            "stalled-sends": _stalled(sends),
            "precommitted-read": _too_early(sends, named),
            "phantom-read": ~named["value"].isin(sends["value"]),
            "aborted-read": named["value"].isin(sends.loc[sends["outcome"] == "failed", "value"]),
            "corrupt-value": polls["checksum"]
            != polls["value"].map(sends.groupby("value")["checksum"].min()),
            "stale-read": _stale(acked, polls, ends),
            "stuck-reader": pd.Series(False, index=ends.index),  # nobody stood still in these
        }.items()
    }


def _lost(acked: pd.DataFrame, polls: pd.DataFrame, ends: pd.DataFrame) -> pd.Series[bool]:
    read = polls[[*PLACE, "value"]].drop_duplicates().assign(read=True)
    covered = pd.concat([polls.assign(offset=polls["offset"] + 1), ends])
    highest = covered.groupby(PLACE)["offset"].max().rename("covered").reset_index()
    told = acked.merge(read, on=[*PLACE, "value"], how="left").merge(highest, on=PLACE, how="left")
    return told["read"].isna() & (told["offset"] < told["covered"])


def _several(rows: pd.DataFrame, by: list[str], column: str) -> pd.Series[bool]:
    groups = rows.groupby(by)[column]
    return groups.min() < groups.max()


def _twice(named: pd.DataFrame, acked: pd.DataFrame) -> pd.Series[bool]:
    """Of what was read, whether it stands at two offsets, the acknowledged one among them."""
    placed = acked.loc[acked["offset"] >= 0]
    rows = pd.concat([named.assign(read=True), placed.assign(read=False)])
    groups = rows.groupby([*PLACE, "value"])
    offset = groups["offset"]
    return (offset.min() < offset.max())[groups["read"].any()]


def _nonmonotonic(acked: pd.DataFrame) -> pd.Series[bool]:
    known = acked.loc[
        acked["offset"] >= 0, [*PLACE, "client", "offset", "invoked_ns", "completed_ns"]
    ]
    begun = known.assign(at_ns=known["invoked_ns"], ended=-1, later=1)
    ended = known.assign(at_ns=known["completed_ns"], ended=known["offset"], later=0)
    moments = pd.concat([begun, ended]).sort_values(["at_ns", "later"])
    highest = moments.groupby([*PLACE, "client"])["ended"].cummax()
    return moments["offset"][moments["later"] == 1] < highest[moments["later"] == 1]


def _backwards(polls: pd.DataFrame) -> pd.Series[bool]:
    placed = polls[polls["offset"] >= 0].sort_values("op")
    by = [placed[name] for name in (*PLACE, "client")]
    before = placed["offset"].groupby(by).cummax().groupby(by).shift()
    return placed["offset"] <= before


def _skipped(polls: pd.DataFrame) -> pd.Series[bool]:
    handed = polls.loc[polls["offset"] >= 0, [*PLACE, "client", "offset"]].drop_duplicates()
    readers = handed.groupby([*PLACE, "client"])["offset"].agg(["min", "max"]).reset_index()
    there = readers.merge(handed[[*PLACE, "offset"]].drop_duplicates(), on=PLACE)
    bound = there[(there["offset"] >= there["min"]) & (there["offset"] <= there["max"])]
    told = bound.merge(handed.assign(own=True), on=[*PLACE, "client", "offset"], how="left")
    return told["own"].isna()


def _too_early(sends: pd.DataFrame, named: pd.DataFrame) -> pd.Series[bool]:
    known_ns = sends["completed_ns"].where(sends["outcome"].isin(["ok", "failed"]))
    clients = pd.Categorical(sends["client"])  # the largest of so many texts takes half a minute
    ended = sends[["value"]].assign(number=clients.codes, ended_ns=known_ns)
    by_value = ended.groupby("value").max().reset_index()
    by_value["client"] = clients.categories.to_numpy()[by_value["number"]]
    own = named.merge(by_value, on=["value", "client"])
    return own["ended_ns"] > own["invoked_ns"]


def _stalled(sends: pd.DataFrame) -> pd.Series[bool]:
    ended = sends[sends["outcome"] != "invoked"]
    tenths = ended.assign(
        since=-(-ended["invoked_ns"] // TENTH_NS), tenth=ended["completed_ns"] // TENTH_NS
    )
    answered = tenths.loc[tenths["outcome"] == "ok", [*PLACE, "tenth"]].drop_duplicates()
    slow = tenths[tenths["since"] < tenths["tenth"]]
    pairs = zip(slow["since"], slow["tenth"], strict=True)
    spans: Any = [list(range(since, until)) for since, until in pairs]
    waited = slow.assign(tenth=spans).explode("tenth")[[*PLACE, "tenth"]].drop_duplicates()
    told = waited.merge(answered.assign(answered=True), on=[*PLACE, "tenth"], how="left")
    silent = told[told["answered"].isna()].sort_values([*PLACE, "tenth"])
    island = silent["tenth"] - silent.groupby(PLACE).cumcount()
    long = silent.groupby([*PLACE, island.rename("island")]).size() >= 300
    places = ended[PLACE].drop_duplicates()
    stalled = long[long].reset_index()[PLACE].drop_duplicates().assign(wrong=True)
    return places.merge(stalled, on=PLACE, how="left")["wrong"].notna()


def _stale(acked: pd.DataFrame, polls: pd.DataFrame, ends: pd.DataFrame) -> pd.Series[bool]:
    seen = polls.groupby([*PLACE, "value"])["invoked_ns"].max().rename("seen_ns").reset_index()
    told = acked.merge(seen, on=[*PLACE, "value"])

    def hides(end: Any) -> bool:
        here = told[(told["topic"] == end.topic) & (told["partition"] == end.partition)]
        hidden = (here["offset"] >= end.offset) & (here["completed_ns"] <= end.invoked_ns)
        return bool((hidden & (here["seen_ns"] > end.completed_ns)).any())

    return pd.Series([hides(end) for end in ends.itertuples()], dtype=bool)


ENGINES: dict[str, Any] = {"duckdb": duckdb_counts, "pandas": pandas_counts}
MOST_RECORDS = {
    "duckdb": 30_000_000,
    "pandas": 10_000_000,
}  # for more, 2 GB and 16 GB are not enough

if __name__ == "__main__":
    print(json.dumps(ENGINES[sys.argv[1]](Path(sys.argv[2]))))
